import type { RequestEffect } from 'postgres-control-emulator';
import { expect, it } from 'vitest';
import { startHttpService } from '../support/start-http-service';
import { idsOf } from '../support/start-service';

// Over real connections: what each response means to a run is in odd-responses.test.ts.

it.each<RequestEffect>([
  { kind: 'lost-after-work' },
  { kind: 'cut-off' },
  { kind: 'cut-off', encoding: 'gzip' },
])('a create, a poll and a list survive %j', async (effect) => {
  const service = await startHttpService();
  const faults = [
    { method: 'POST', path: '/projects/:p/endpoints' },
    { method: 'GET', path: '/projects/:p/endpoints' },
    { method: 'GET', path: '/projects/:p/operations' },
  ].map((match) => service.emulator.inject({ match, effect }));
  const { id } = await service.provider.create(service.declare({ type: 'read_only' }));
  expect(idsOf(service)).toEqual([id]);
  expect(faults.map(({ hits }) => hits)).toEqual([1, 1, 1]);
});
