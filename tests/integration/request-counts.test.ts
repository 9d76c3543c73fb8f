import { describe, expect, it } from 'vitest';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { runUpdate } from '../support/engine';
import { failureOf } from '../support/failure';
import { createEndpoint, ownEndpoints, type Service, startService } from '../support/start-service';

/** How many requests with this end of the path the work makes. Without an end, all of them. */
async function countRequests({ emulator }: Service, work: () => Promise<unknown>) {
  const before = emulator.requests().length;
  await work();
  const made = emulator.requests().slice(before);
  const ofKind = (end: string) => made.filter(({ path }) => path.split('?')[0]?.endsWith(end)).length;
  return { all: made.length, lists: ofKind('/endpoints'), operations: ofKind('/operations') };
}

describe('the requests of a repair', () => {
  it('are few after a create whose start failed', async () => {
    const service = await startService();
    const inputs = service.declare();
    service.emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } });
    const { id, properties } = await failureOf(service.provider.create(inputs));
    const state = { id, inputs, outs: properties as StoredOutputs };
    const counts = await countRequests(service, () => runUpdate(service.startProvider(), state, inputs));
    expect(ownEndpoints(service)[0]?.current_state).toBe('active');
    expect(counts.lists).toBeLessThanOrEqual(3);
  });

  it('are few after a killed resize whose work is done, and nothing restarts', async () => {
    const service = await startService();
    const created = await createEndpoint(service);
    const resized: StoredInputs = { ...service.declare(), autoscalingLimitMaxCu: 2, allowRestart: false };
    service.emulator.changeEndpoint(created.id, { autoscaling_limit_max_cu: 2 });
    const restarts = service.emulator.restarts(created.id);
    const state = { ...created, inputs: service.declare() };
    const counts = await countRequests(service, () => runUpdate(service.startProvider(), state, resized));
    expect(service.emulator.restarts(created.id)).toBe(restarts);
    expect(counts.operations).toBeLessThanOrEqual(4);
  });

  it('are few for a refresh of an endpoint that others have deleted', async () => {
    const service = await startService({ readLagMs: 10_000 });
    const { id, outs } = await createEndpoint(service);
    service.emulator.deleteEndpoint(id);
    const counts = await countRequests(service, async () =>
      expect(await service.startProvider().read(id, outs)).toEqual({}),
    );
    expect(counts.all).toBeLessThanOrEqual(4);
  });
});
