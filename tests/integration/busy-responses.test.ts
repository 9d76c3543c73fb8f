import type { RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { createEndpoint, ownEndpoints, startService } from '../support/start-service';

const busyResponses: [string, RequestEffect][] = [
  ['429 without Retry-After', { kind: 'status', status: 429 }],
  ['429 with Retry-After in seconds', { kind: 'status', status: 429, retryAfterSeconds: 1 }],
  [
    '429 with Retry-After as a date',
    { kind: 'status', status: 429, retryAfterSeconds: 1, retryAfterFormat: 'http-date' },
  ],
  ['503', { kind: 'status', status: 503 }],
  ['423', { kind: 'status', status: 423 }],
];

describe.each(busyResponses)('when the service responds with %s', (_case, effect) => {
  it('a create waits and sends its POST again', async () => {
    const service = await startService();
    const fault = service.emulator.inject({ match: { method: 'POST' }, times: 2, effect });
    const { id } = await createEndpoint(service);
    expect(fault.hits).toBe(2);
    expect(ownEndpoints(service).map((endpoint) => endpoint.id)).toEqual([id]);
  });

  it('a delete waits and sends its DELETE again', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service);
    service.emulator.inject({ match: { method: 'DELETE' }, times: 2, effect });
    await service.startProvider().delete(id, outs);
    expect(ownEndpoints(service)).toEqual([]);
  });
});
