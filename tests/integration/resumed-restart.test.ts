import { describe, expect, it } from 'vitest';
import type { StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { silenceDiagnostics } from '../support/diagnostics';
import { failedState, runUp } from '../support/door';
import { runCreate } from '../support/engine';
import { failureOf } from '../support/failure';
import { doors, startDoor } from '../support/start-door';
import { ownEndpoints, type Service, startService } from '../support/start-service';
import { until } from '../support/virtual-world';

silenceDiagnostics();

/** What `waitForOperations: false` records of a restart whose suspension has failed since. */
function addFailedRestart({ emulator, project }: Pick<Service, 'emulator' | 'project'>, endpointId: string) {
  const add = (action: string, status: string) =>
    emulator.addOperation(project.id, { action, status, endpointId }).operation;
  const [suspended, started] = [add('suspend_compute', 'failed'), add('start_compute', 'finished')];
  return {
    unsettledOperations: [
      { id: suspended.id, action: suspended.action, status: 'running' },
      { id: started.id, action: started.action, status: 'scheduling' },
    ],
    __ledger: { owed: ['restart', 'start'], since: started.created_at },
  };
}

it('an update whose lost response hid a failed start is resumed by starting the compute', async () => {
  const service = await startService();
  const { emulator } = service;
  const { id, outs } = await runCreate(service.startProvider(), service.declare());
  const desired = service.declare({ autoscalingLimitMaxCu: 2 });
  // The request arrives, and its start fails; the run ends without having seen any of its operations.
  emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } });
  await service.send('PATCH', id, { endpoint: { autoscaling_limit_max_cu: 2 } });
  await until(() => ownEndpoints(service)[0]?.current_state === 'idle');
  const __ledger = { ...(outs.__ledger as object), due: ['autoscalingLimitMaxCu'], past: 'uncertain' };
  const unseen: StoredOutputs = { ...outs, autoscalingLimitMaxCu: 2, __ledger };
  await service.startProvider().update(id, unseen, desired);
  expect(ownEndpoints(service)[0]).toMatchObject({ current_state: 'active', autoscaling_limit_max_cu: 2 });
});

it('a restart whose suspension failed after its start was sent is repeated as a restart', async () => {
  const service = await startService();
  const { emulator } = service;
  const { id, inputs, outs } = await runCreate(service.startProvider(), service.declare());
  const failed = addFailedRestart(service, id);
  await service.startProvider().update(id, { ...outs, ...failed }, inputs);
  expect(ownEndpoints(service)[0]?.current_state).toBe('active');
  expect(emulator.connectionDrops(id)).toBe(1);
});

it('a restart that failed before its suspension, and again at its start, ends with an active compute', async () => {
  const service = await startService();
  const { emulator } = service;
  const { id, outs } = await runCreate(service.startProvider(), service.declare());
  const desired = service.declare({ autoscalingLimitMaxCu: 2 });
  let olds = outs;
  for (const action of ['apply_config', 'start_compute']) {
    emulator.inject({ match: { action }, times: 1, effect: { kind: 'operation-fails' } });
    const { properties } = await failureOf(service.startProvider().update(id, olds, desired));
    olds = properties as StoredOutputs;
  }
  expect(ownEndpoints(service)[0]?.current_state).toBe('idle');
  await service.startProvider().update(id, olds, desired);
  expect(ownEndpoints(service)[0]?.current_state).toBe('active');
  expect(emulator.connectionDrops(id)).toBe(1);
});

it('a restart waits for its suspension also without waitForOperations', async () => {
  const service = await startService();
  const { emulator } = service;
  const { id, outs } = await runCreate(service.startProvider(), service.declare());
  const desired = service.declare({ waitForOperations: false, restartTriggers: { release: '1' } });
  emulator.inject({ match: { action: 'suspend_compute' }, times: 1, effect: { kind: 'operation-fails' } });
  const { properties } = await failureOf(service.startProvider().update(id, outs, desired));
  expect(emulator.connectionDrops(id)).toBe(0);
  await service.startProvider().update(id, properties as StoredOutputs, desired);
  await until(() => ownEndpoints(service)[0]?.current_state === 'active');
  expect(emulator.connectionDrops(id)).toBe(1);
});

it('a restart repeats the suspension of a killed one if that fails', async () => {
  const service = await startService({ operationMs: 100, schedulingMs: 200, locks: 'none' });
  const { emulator } = service;
  const { id, outs } = await runCreate(service.startProvider(), service.declare());
  emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-fails' } });
  const desired = service.declare({ restartTriggers: { day: '2' } });
  void service
    .startProvider()
    .update(id, outs, desired)
    .catch(() => undefined);
  await until(() => emulator.requests().some(({ path }) => path.endsWith('/suspend')));
  await service.startProvider().update(id, outs, desired);
  expect(emulator.connectionDrops(id)).toBe(1);
  expect(ownEndpoints(service)[0]?.current_state).toBe('active');
});

it.each(['1', '2', '3'])(
  'a restart whose start was refused ends with an active compute when the trigger is then %s',
  async (next) => {
    const service = await startService();
    const { emulator } = service;
    const withTrigger = (release: string) => service.declare({ restartTriggers: { release } });
    const { id, outs } = await runCreate(service.startProvider(), withTrigger('1'));
    const start = { method: 'POST', path: '/projects/:p/endpoints/:e/start' } as const;
    emulator.inject({ match: start, effect: { kind: 'status', status: 403 } });
    const { properties } = await failureOf(service.startProvider().update(id, outs, withTrigger('2')));
    expect(ownEndpoints(service)[0]?.current_state).toBe('idle');
    await service.startProvider().update(id, properties, withTrigger(next));
    expect(ownEndpoints(service)[0]?.current_state).toBe('active');
  },
);

it('a stop that failed twice and is taken back restarts nothing, also if the create did not wait for its start', async () => {
  const service = await startService({ operationMs: 50, locks: 'none' });
  const { emulator, project } = service;
  const program = service.declare();
  const { id, outs } = await service.startProvider().create({ ...program, waitForOperations: false });
  await until(() => ownEndpoints(service)[0]?.current_state === 'active');
  const match = { action: 'suspend_compute' };
  emulator.inject({ match, times: 2, effect: { kind: 'operation-fails' } });
  // By a run that is killed.
  await service.send('PATCH', id, { endpoint: { disabled: true } });
  await until(() => emulator.operations(project.id).some(({ status }) => status === 'failed'));
  const stop = service.startProvider().update(id, outs as StoredOutputs, { ...program, disabled: true });
  const { properties } = await failureOf(stop);
  await service.startProvider().update(id, properties as StoredOutputs, program);
  expect(emulator.connectionDrops(id)).toBe(0);
});

describe.each(doors)('a restart that is repeated and whose start is refused, by %s', (_name, door) => {
  it.each([true, false])('is finished by the next update (waiting: %s)', async (waitForOperations) => {
    const { emulator, startRun, declare, project, held } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    const failure = addFailedRestart({ emulator, project }, state.id);
    const before = { ...state, outputs: { ...state.outputs, ...failure } };
    const refusal = emulator.inject({
      match: { method: 'POST', path: '/projects/:p/endpoints/:e/start' },
      times: 'always',
      effect: { kind: 'status', status: 403 },
    });
    const failed = await failedState(runUp(await startRun(), declare({ waitForOperations }), before));
    refusal.clear();
    await until(() => held()[0]?.current_state === 'idle');
    await runUp(await startRun(), declare(), failed);
    expect(held()).toMatchObject([{ current_state: 'active' }]);
  });
});

describe('a restart whose suspension failed is not repeated', () => {
  const start = async () => {
    const service = await startService({ operationMs: 100, locks: 'none' });
    const { id, inputs, outs } = await runCreate(service.startProvider(), service.declare());
    return { service, id, inputs, outs: { ...outs, ...addFailedRestart(service, id) } };
  };

  it.each([
    ['times out', { match: { action: 'start_compute' }, effect: { kind: 'operation-hangs' } }],
    [
      'has its response hidden',
      { match: { method: 'PATCH' }, effect: { kind: 'proxy-page', status: 404, when: 'after-work' } },
    ],
  ] as const)('once a change of size, which %s, has restarted the compute', async (_what, fault) => {
    const { service, id, inputs, outs } = await start();
    const { emulator } = service;
    const injected = emulator.inject({ ...fault, times: 'always' });
    const desired = { ...inputs, autoscalingLimitMaxCu: 2 };
    const { properties } = await failureOf(
      service.startProvider().update(id, outs, { ...desired, timeouts: { update: 1 } }),
    );
    injected.clear();
    await until(() => ownEndpoints(service)[0]?.current_state === 'active');
    await service.startProvider().update(id, properties as StoredOutputs, desired);
    expect(emulator.connectionDrops(id)).toBe(1);
  });

  it('once `allowRestart: false` has refused it, and another client has restarted the compute', async () => {
    const { service, id, inputs, outs } = await start();
    const { emulator } = service;
    const refused = service.startProvider().update(id, outs, { ...inputs, allowRestart: false });
    const { properties } = await failureOf(refused);
    for (const [verb, state] of [
      ['suspend', 'idle'],
      ['start', 'active'],
    ]) {
      await service.send('POST', `${id}/${verb}`);
      await until(() => ownEndpoints(service)[0]?.current_state === state);
    }
    await service.startProvider().update(id, properties as StoredOutputs, inputs);
    expect(emulator.connectionDrops(id)).toBe(1);
  });
});

it.each(doors)(
  'the repeated suspension of a move starts nothing although the start of the create was unfinished, by %s',
  async (_name, door) => {
    const { emulator, startRun, declare, project } = await startDoor(door, {
      locks: 'none',
      operationMs: 200,
    });
    const moved = { branchId: emulator.createBranch(project.id).id };
    const notWaiting = { waitForOperations: false };
    const created = await runUp(await startRun(), declare(notWaiting));
    emulator.inject({
      match: { action: 'suspend_compute' },
      times: 1,
      effect: { kind: 'operation-fails' },
    });
    const state = await runUp(await startRun(), declare({ ...moved, ...notWaiting }), created);
    const isOver = () => emulator.operations(project.id).every(({ status }) => /ed$/.test(status));
    await until(isOver);
    await runUp(await startRun(), declare(moved), state);
    expect(emulator.endpoints().find(({ id }) => id === created.id)).toMatchObject({ current_state: 'idle' });
    expect(emulator.connectionDrops(created.id)).toBe(1);
  },
);
