import { describe, expect, it } from 'vitest';
import { DynamicPartialStateError } from '../../provider/src/dynamic/host-errors';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { silenceDiagnostics } from '../support/diagnostics';
import { type EngineState, runCreate, runUpdate } from '../support/engine';
import { errorOf, type Failure, failureOf } from '../support/failure';
import { createEndpoint, ownEndpoints, type Service, startService } from '../support/start-service';
import { until } from '../support/virtual-world';

silenceDiagnostics();

const operationLists = { method: 'GET', path: '/projects/:p/operations' };

const ownEndpoint = ({ emulator, branch }: Service) =>
  emulator.endpoints().find(({ branch_id }) => branch_id === branch.id);

/** Keeps operations of an action running until the returned fault is cleared. */
function hold({ emulator }: Service, action: string) {
  return emulator.inject({ match: { action }, effect: { kind: 'operation-hangs' } });
}

/** The state that the engine keeps after a failure that carries the endpoint. */
async function stateAfter(service: Service, failure: Failure, program: StoredInputs): Promise<EngineState> {
  const { inputs } = await service.startProvider().check({ ...program }, { ...program });
  return {
    id: failure.id as string,
    inputs: inputs as StoredInputs,
    outs: failure.properties as StoredOutputs,
  };
}

describe('an unfinished operation in state', () => {
  it('is dropped by the next update when the service no longer knows it', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service);
    const forgotten = {
      id: '11111111-1111-4111-8111-111111111111',
      action: 'apply_config',
      status: 'running',
    };
    const olds = { ...outs, unsettledOperations: [forgotten] };
    const updated = await service.provider.update(id, olds, service.declare({ suspendTimeoutSeconds: 900 }));
    expect(updated.outs?.unsettledOperations).toBeUndefined();
    expect(ownEndpoint(service)).toMatchObject({ suspend_timeout_seconds: 900 });
  });

  it('fails the update when its lookup is refused', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service);
    const path = '/projects/:p/operations/:o';
    service.emulator.inject({ match: { path }, times: 'always', effect: { kind: 'status', status: 403 } });
    const unsettledOperations = [{ id: 'op-1', action: 'apply_config', status: 'running' }];
    const update = service.provider.update(id, { ...outs, unsettledOperations }, service.declare());
    expect((await failureOf(update)).message).toMatch(/GET \S+\/operations\/op-1: 403 Forbidden/);
  });
});

it.each([
  ['a setting', { method: 'PATCH' }, { pgSettings: { work_mem: 'x' }, restartTriggers: { release: '2' } }],
  ['a restart', { path: '/projects/:p/endpoints/:e/suspend' }, { restartTriggers: { release: '2' } }],
] as const)('%s that the service refuses leaves the state as it was', async (_what, match, change) => {
  const service = await startService();
  const { id, outs } = await runCreate(service.startProvider(), service.declare());
  service.emulator.inject({ match, effect: { kind: 'status', status: 422 } });
  const failure = await errorOf(service.startProvider().update(id, outs, service.declare(change)));
  expect(failure).not.toBeInstanceOf(DynamicPartialStateError);
});

describe('waitForOperations: false', () => {
  it('lets an update return while its operations run, and the next update waits for them', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service);
    const applying = hold(service, 'apply_config');
    const desired = service.declare({ autoscalingLimitMaxCu: 2, waitForOperations: false });
    const updated = await service.provider.update(id, outs, desired);
    const stored = updated.outs as StoredOutputs;
    expect(stored.unsettledOperations).toContainEqual(
      expect.objectContaining({ action: 'apply_config', status: 'running' }),
    );
    applying.clear();
    const next = service.declare({ autoscalingLimitMaxCu: 2 });
    const finished = await service.provider.update(id, stored, next);
    expect(finished.outs?.unsettledOperations).toBeUndefined();
    expect(ownEndpoint(service)).toMatchObject({ current_state: 'active', autoscaling_limit_max_cu: 2 });
    expect(service.emulator.restarts(id)).toBe(1);
  });

  it('does not let a delete return before its operations finish, so that it reports a failure', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service, service.declare({ waitForOperations: false }));
    await until(() => ownEndpoint(service)?.current_state === 'active');
    service.emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-fails' } });
    await expect(service.startProvider().delete(id, outs)).rejects.toThrow(/suspend_compute \S+ failed/);
    await service.startProvider().delete(id, outs);
    expect(ownEndpoint(service)).toBeUndefined();
  });
});

describe('an endpoint whose compute failed to start', () => {
  it('is found by its name and started by the next create', async () => {
    const service = await startService();
    service.emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } });
    const { id } = await failureOf(service.provider.create(service.declare()));
    expect(ownEndpoint(service)?.current_state).not.toBe('active');
    const again = await service.startProvider().create(service.declare());
    expect(again.id).toBe(id);
    expect(ownEndpoint(service)).toMatchObject({ id, current_state: 'active' });
  });
});

it('a create that races with one of another process ends with the same endpoint', async () => {
  const service = await startService();
  const inputs = service.declare();
  const crossing = service.emulator.inject({
    match: { method: 'POST' },
    effect: { kind: 'slow', delayMs: 1_000, when: 'before-work' },
  });
  const late = service.startProvider().create(inputs);
  await until(() => crossing.hits === 1);
  const { id } = await service.startProvider().create(inputs);
  expect((await late).id).toBe(id);
  expect(ownEndpoints(service)).toMatchObject([{ id, current_state: 'active' }]);
});

describe('a refused create', () => {
  it("passes on the service's message for a 409 that no existing endpoint explains", async () => {
    const service = await startService();
    const message = 'the branch is being restored';
    service.emulator.inject({ match: { method: 'POST' }, effect: { kind: 'status', status: 409, message } });
    await expect(service.provider.create(service.declare())).rejects.toThrow(
      /^POST \/projects\/\S+\/endpoints: 409 Conflict.*the branch is being restored/,
    );
    expect(ownEndpoint(service)).toBeUndefined();
  });

  it('sends no write without a name or URN by which to find the endpoint again', async () => {
    const service = await startService();
    const { __urn: _, ...unnamed } = service.declare();
    await expect(service.provider.create(unnamed)).rejects.toThrow(/neither a name nor a URN/);
    expect(service.emulator.requests().filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

describe('a delete', () => {
  it('succeeds when its operation is cancelled because another client deleted the endpoint', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service);
    hold(service, 'suspend_compute');
    const deletion = service.startProvider().delete(id, outs);
    await until(() => ownEndpoint(service)?.pending_state === 'idle');
    service.emulator.deleteEndpoint(id);
    await expect(deletion).resolves.toBeUndefined();
  });
});

it('a read by id alone reports the missing projectId', async () => {
  const { provider } = await startService();
  await expect(provider.read('ep-1')).rejects.toMatchObject({
    message: "read of endpoint ep-1: its projectId is not known, so it can't be found.",
  });
});

describe('an unfinished or failed operation', () => {
  it('is retried again when the retry of a failed start is refused', async () => {
    const service = await startService();
    service.emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } });
    const first = await errorOf(runCreate(service.startProvider(), service.declare()));
    const state = await stateAfter(service, first, service.declare());
    service.emulator.inject({ match: { method: 'POST' }, effect: { kind: 'status', status: 403 } });
    const second = await errorOf(runUpdate(service.startProvider(), state, state.inputs));
    await runUpdate(
      service.startProvider(),
      { ...state, outs: second.properties as StoredOutputs },
      state.inputs,
    );
    expect(ownEndpoints(service)[0]?.current_state).toBe('active');
  });
  it('stays in state when allowRestart: false stops the retry of a failed suspension', async () => {
    const service = await startService();
    const state = await runCreate(service.startProvider(), service.declare());
    const target = service.emulator.createBranch(service.project.id);
    service.emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-fails' } });
    const moved = service.declare({ branchId: target.id, waitForOperations: false });
    const next = await runUpdate(service.startProvider(), state, moved);
    await until(() =>
      service.emulator.operations(service.project.id).some(({ status }) => status === 'failed'),
    );
    const gated = service.declare({ branchId: target.id, allowRestart: false });
    const failure = await errorOf(runUpdate(service.startProvider(), next, gated));
    expect(failure.properties?.__ledger).toMatchObject({ owed: ['move'] });
  });
  it('is retried when the response of its create is lost and one list of operations is refused', async () => {
    const service = await startService();
    service.emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } });
    service.emulator.inject({ match: { method: 'POST' }, effect: { kind: 'lost-after-work' } });
    service.emulator.inject({ match: operationLists, effect: { kind: 'status', status: 403 } });
    await runCreate(service.startProvider(), service.declare());
    expect(ownEndpoints(service)[0]?.current_state).toBe('active');
  });
});
