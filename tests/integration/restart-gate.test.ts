import { describe, expect, it } from 'vitest';
import { PartialStateError } from '../../provider/src/dynamic/host-errors';
import { runCreate, runUpdate } from '../support/engine';
import { failureOf } from '../support/failure';
import { type Service, startService } from '../support/start-service';

const refusal = /^allowRestart is false, and .* (restarts|suspends) the compute/;

const writesOf = ({ emulator }: Service) =>
  emulator.requests().filter(({ method }) => method !== 'GET').length;

describe('allowRestart: false stops', () => {
  it.each(['apply_config', 'suspend_compute'])(
    'a change of size that is resumed after its %s failed',
    async (action) => {
      const service = await startService();
      const state = await runCreate(service.startProvider(), service.declare());
      const wanted = service.declare({ autoscalingLimitMaxCu: 2 });
      service.emulator.inject({ match: { action }, effect: { kind: 'operation-fails' } });
      const { properties } = await failureOf(runUpdate(service.startProvider(), state, wanted));
      const before = writesOf(service);
      const gated = { ...wanted, allowRestart: false };
      const resumed = { ...state, inputs: wanted, outs: properties };
      await expect(runUpdate(service.startProvider(), resumed, gated)).rejects.toMatchObject({
        message: expect.stringMatching(refusal),
      });
      // The update itself stops too, not only the diff before it.
      expect((await failureOf(service.startProvider().update(state.id, properties, gated))).message).toMatch(
        refusal,
      );
      expect(writesOf(service)).toBe(before);
      expect(service.emulator.restarts(state.id)).toBe(0);
    },
  );

  it('a restart by a trigger, also when only the update sees the compute active', async () => {
    const service = await startService();
    const state = await runCreate(service.startProvider(), service.declare());
    const gated = service.declare({ restartTriggers: { release: '2' }, allowRestart: false });
    const { message } = await failureOf(service.startProvider().update(state.id, state.outs, gated));
    expect(message).toMatch(refusal);
    expect(service.emulator.connectionDrops(state.id)).toBe(0);
  });

  it('a create that finds its own endpoint by the derived name, and would change its size', async () => {
    const service = await startService();
    const { id } = await runCreate(service.startProvider(), service.declare());
    const gated = service.declare({ autoscalingLimitMaxCu: 2, allowRestart: false });
    const failure = await failureOf(service.startProvider().create(gated));
    expect(failure.message).toMatch(refusal);
    expect(failure.id).toBe(id);
    expect(service.emulator.restarts(id)).toBe(0);
  });

  it('a create that adopts an endpoint, and leaves that out of the state', async () => {
    const service = await startService();
    const [primary] = service.emulator.endpoints(service.project.id);
    const inputs = service.declare({ branchId: primary?.branch_id ?? '', adopt: true, allowRestart: false });
    const failure = await service
      .startProvider()
      .create({ ...inputs, autoscalingLimitMaxCu: 4 })
      .catch((error: unknown) => error);
    expect(failure).not.toBeInstanceOf(PartialStateError);
    expect(failure).toMatchObject({ message: expect.stringMatching(refusal) });
    expect(service.emulator.restarts(primary?.id ?? '')).toBe(0);
  });
});

describe('allowRestart: false lets pass', () => {
  it('what an earlier run has applied in the meantime', async () => {
    const service = await startService();
    const state = await runCreate(service.startProvider(), service.declare());
    const hanging = service.emulator.inject({
      match: { action: 'apply_config' },
      effect: { kind: 'operation-hangs' },
    });
    const wanted = service.declare({ autoscalingLimitMaxCu: 2, timeouts: { update: 0.2 } });
    const { properties } = await failureOf(runUpdate(service.startProvider(), state, wanted));
    hanging.clear();
    const gated = { ...wanted, allowRestart: false };
    const { outs } = await runUpdate(service.startProvider(), { ...state, outs: properties }, gated);
    expect(outs.unsettledOperations).toBeUndefined();
    expect(service.emulator.restarts(state.id)).toBe(1);
  });

  it('the start of a compute whose start had failed', async () => {
    const service = await startService();
    service.emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } });
    const gated = service.declare({ allowRestart: false });
    const { id, properties } = await failureOf(service.startProvider().create(gated));
    await service.startProvider().update(id, properties, gated);
    expect(service.emulator.endpoints().find((endpoint) => endpoint.id === id)?.current_state).toBe('active');
  });
});
