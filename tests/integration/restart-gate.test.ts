import { describe, expect, it } from 'vitest';
import { DynamicPartialStateError } from '../../provider/src/dynamic/host-errors';
import { silenceDiagnostics } from '../support/diagnostics';
import { runCreate, runUpdate } from '../support/engine';
import { errorOf, failureOf, outcomeOf } from '../support/failure';
import { ownEndpoints, type Service, startService } from '../support/start-service';
import { until } from '../support/virtual-world';

silenceDiagnostics();

const refusal = /^allowRestart is false, and .* (restarts|suspends) the compute/;

const writesOf = ({ emulator }: Service) =>
  emulator.requests().filter(({ method }) => method !== 'GET').length;

describe('allowRestart: false stops', () => {
  it.each(['apply_config', 'suspend_compute'])(
    'a change of size that is resumed after its %s failed',
    async (action) => {
      const service = await startService();
      const state = await runCreate(service.startProvider(), service.declare());
      const desired = service.declare({ autoscalingLimitMaxCu: 2 });
      service.emulator.inject({ match: { action }, effect: { kind: 'operation-fails' } });
      const { properties } = await failureOf(runUpdate(service.startProvider(), state, desired));
      const before = writesOf(service);
      const gated = { ...desired, allowRestart: false };
      const resumed = { ...state, inputs: desired, outs: properties };
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

  it('a restart by a trigger when the update runs without a diff before it', async () => {
    const service = await startService();
    const state = await runCreate(service.startProvider(), service.declare());
    const gated = service.declare({ restartTriggers: { release: '2' }, allowRestart: false });
    const failure = await errorOf(service.startProvider().update(state.id, state.outs, gated));
    expect(failure).not.toBeInstanceOf(DynamicPartialStateError);
    expect(failure.message).toMatch(refusal);
    expect(service.emulator.connectionDrops(state.id)).toBe(0);
  });

  it('a create that would resize the endpoint that it finds by the derived name', async () => {
    const service = await startService();
    const { id } = await runCreate(service.startProvider(), service.declare());
    const gated = service.declare({ autoscalingLimitMaxCu: 2, allowRestart: false });
    const failure = await failureOf(service.startProvider().create(gated));
    expect(failure.message).toMatch(refusal);
    expect(failure.id).toBe(id);
    expect(service.emulator.restarts(id)).toBe(0);
  });
});

describe('allowRestart: false allows', () => {
  it('a change that an earlier run has already applied', async () => {
    const service = await startService();
    const state = await runCreate(service.startProvider(), service.declare());
    const hanging = service.emulator.inject({
      match: { action: 'apply_config' },
      effect: { kind: 'operation-hangs' },
    });
    const desired = service.declare({ autoscalingLimitMaxCu: 2, timeouts: { update: 0.2 } });
    const { properties } = await failureOf(runUpdate(service.startProvider(), state, desired));
    hanging.clear();
    const gated = { ...desired, allowRestart: false };
    const { outs } = await runUpdate(service.startProvider(), { ...state, outs: properties }, gated);
    expect(outs.unsettledOperations).toBeUndefined();
    expect(service.emulator.restarts(state.id)).toBe(1);
  });

  it('the start of a compute whose first start failed', async () => {
    const service = await startService();
    service.emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } });
    const gated = service.declare({ allowRestart: false });
    const { id, properties } = await failureOf(service.startProvider().create(gated));
    await service.startProvider().update(id, properties, gated);
    expect(service.emulator.endpoints().find((endpoint) => endpoint.id === id)?.current_state).toBe('active');
  });
});

describe('a restart', () => {
  it('is stopped by allowRestart: false when the compute wakes while the write waits for a lock', async () => {
    const service = await startService({ operationMs: 5 });
    const { emulator, project } = service;
    const state = await runCreate(service.startProvider(), service.declare({ allowRestart: false }));
    await service.send('POST', `${state.id}/suspend`);
    await until(() => ownEndpoints(service)[0]?.current_state === 'idle');
    const before = emulator.connectionDrops(state.id);
    const release = emulator.lockProject(project.id);
    const desired = service.declare({ allowRestart: false, autoscalingLimitMaxCu: 2 });
    const update = outcomeOf(runUpdate(service.startProvider(), state, desired));
    await until(() => emulator.requests().some(({ status }) => status === 423));
    release();
    emulator.connect(state.id);
    await update;
    expect(emulator.connectionDrops(state.id)).toBe(before);
  });
  it('is not allowed by postgresCompute:allowRestart "False"', async () => {
    const service = await startService();
    const state = await runCreate(service.startProvider(), service.declare());
    const provider = service.startProvider();
    const get = (key: string) => (key === 'postgresCompute:allowRestart' ? 'False' : undefined);
    await provider.configure({ config: { get } } as never);
    await errorOf(runUpdate(provider, state, service.declare({ autoscalingLimitMaxCu: 2 })));
  });
});
