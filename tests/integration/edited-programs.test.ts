import type { Emulator } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { silenceDiagnostics } from '../support/diagnostics';
import { callErrorOf, failedState, runRefresh, runUp } from '../support/door';
import { doors, startDoor } from '../support/start-door';
import { until } from '../support/virtual-world';

silenceDiagnostics();

const failing = (action: string) =>
  ({ match: { action }, times: 1, effect: { kind: 'operation-fails', error: 'no' } }) as const;
const refused = { match: { method: 'PATCH' }, times: 1, effect: { kind: 'status', status: 422 } } as const;

/** Waits until an operation of the project has failed. */
async function untilOneFails(emulator: Pick<Emulator, 'operations'>, projectId: string): Promise<void> {
  const hasFailed = () => emulator.operations(projectId).some(({ status }) => status === 'failed');
  await until(hasFailed);
}

describe.each(doors)('a program that is edited after a killed create, by %s', (_name, door) => {
  it('resets what it no longer gives', async () => {
    const { startRun, declare, held } = await startDoor(door);
    const before = { disabled: true, poolerEnabled: true, suspendTimeoutSeconds: -1 };
    await runUp(await startRun(), declare(before)); // Killed: nothing is in state.
    const { id } = await runUp(await startRun(), declare());
    const reset = { id, disabled: false, pooler_enabled: false, suspend_timeout_seconds: 0 };
    expect(held()).toMatchObject([reset]);
  });

  it('a forced replacement that keeps the endpoint resets it, too', async () => {
    const { startRun, declare, held } = await startDoor(door);
    const state = await runUp(await startRun(), declare({ disabled: true }));
    const run = await startRun();
    const kept = await run.create(await run.check(undefined, declare()));
    await run.delete(state);
    expect(kept.id).toBe(state.id);
    expect(held()).toMatchObject([{ id: state.id, disabled: false }]);
  });
});

describe.each(doors)('a change that failed and is taken back, by %s', (_name, door) => {
  it('does not suspend the compute for a stop whose suspension failed', async () => {
    const { emulator, startRun, declare, held } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    emulator.inject(failing('suspend_compute'));
    const failed = await failedState(runUp(await startRun(), declare({ disabled: true }), state));
    expect(held()).toMatchObject([{ current_state: 'active', disabled: true }]);
    await runUp(await startRun(), declare(), failed);
    expect(held()).toMatchObject([{ current_state: 'active', disabled: false }]);
    expect(emulator.connectionDrops(state.id)).toBe(0);
  });

  it('does not suspend the compute for a failed stop that others have taken back, as a refresh shows', async () => {
    const { emulator, startRun, declare, project } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    emulator.inject(failing('suspend_compute'));
    const stop = declare({ waitForOperations: false, disabled: true });
    const stopped = await runUp(await startRun(), stop, state);
    await untilOneFails(emulator, project.id);
    emulator.changeEndpoint(state.id, { disabled: false });
    const refreshed = await runRefresh(await startRun(), stopped);
    await runUp(await startRun(), declare({ disabled: false }), refreshed.state);
    expect(emulator.connectionDrops(state.id)).toBe(0);
  });

  it.each([
    ['the new size', 'autoscalingLimitMaxCu'],
    ['the move', 'branchId'],
  ])('still drops connections once for %s that a failed stop was to apply, too', async (_what, name) => {
    const { emulator, startRun, declare, project } = await startDoor(door);
    const kept = name === 'branchId' ? { branchId: emulator.createBranch(project.id).id } : { [name]: 2 };
    const state = await runUp(await startRun(), declare());
    emulator.inject(failing('suspend_compute'));
    const failed = await failedState(runUp(await startRun(), declare({ ...kept, disabled: true }), state));
    await runUp(await startRun(), declare(kept), failed);
    expect(emulator.connectionDrops(state.id)).toBe(1);
  });

  it('still restarts the compute for a new size whose response was late, together with a stop', async () => {
    const { emulator, startRun, declare, held, project } = await startDoor(door);
    const resized = { autoscalingLimitMaxCu: 2 };
    const state = await runUp(await startRun(), declare());
    emulator.inject({ match: { method: 'PATCH' }, times: 1, effect: { kind: 'slow', delayMs: 1_500 } });
    emulator.inject(failing('suspend_compute'));
    const stop = { ...declare({ ...resized, disabled: true }), timeoutSeconds: 1 };
    const failed = await failedState(runUp(await startRun(), stop, state));
    expect(failed.outputs).not.toHaveProperty('unsettledOperations');
    await untilOneFails(emulator, project.id);
    await runUp(await startRun(), declare(resized), failed);
    expect(emulator.connectionDrops(state.id)).toBe(1);
    expect(held()).toMatchObject([{ current_state: 'active', disabled: false }]);
  });

  it('does not start the compute for a trigger that has met a stop by another client', async () => {
    const { startRun, declare, held } = await startDoor(door);
    const of = (release: string, disabled = false) => declare({ restartTriggers: { release }, disabled });
    const state = await runUp(await startRun(), of('1'));
    await runUp(await startRun(), of('1', true), state);
    const { outputs } = await runUp(await startRun(), of('2'), state);
    expect(held()).toMatchObject([{ current_state: 'idle' }]);
    expect(outputs).toMatchObject({ disabled: true }); // Drift, which the next diff shows.
  });

  it.each(['fails', 'is killed'])(
    'still restarts the compute for a new size if the run that takes a failed stop back %s',
    async (ending) => {
      const { emulator, startRun, declare, held, project } = await startDoor(door);
      const state = await runUp(await startRun(), declare());
      emulator.inject(failing('suspend_compute'));
      const stopped = await failedState(runUp(await startRun(), declare({ disabled: true }), state));
      emulator.inject(failing('suspend_compute'));
      const resized = declare({ autoscalingLimitMaxCu: 2 });
      const failed = await failedState(runUp(await startRun(), resized, stopped));
      const isOver = () => !emulator.operations(project.id).some(({ status }) => status === 'running');
      await until(isOver);
      await runUp(await startRun(), resized, ending === 'fails' ? failed : stopped);
      expect(emulator.connectionDrops(state.id)).toBe(1);
      expect(held()).toMatchObject([{ current_state: 'active', disabled: false }]);
    },
  );

  it('a preview says that the new size of a failed stop restarts the compute, and allowRestart: false refuses it', async () => {
    const { emulator, startRun, declare, held } = await startDoor(door);
    const resized = { autoscalingLimitMaxCu: 2 };
    const state = await runUp(await startRun(), declare());
    emulator.inject(failing('suspend_compute'));
    const stop = declare({ ...resized, disabled: true });
    const failed = await failedState(runUp(await startRun(), stop, state));
    const guarded = declare({ ...resized, allowRestart: false });
    const { message } = await callErrorOf(runUp(await startRun(), guarded, failed));
    expect(message).toContain('suspends the compute: its connections drop (it is active now)');
    expect(held()).toMatchObject([{ current_state: 'active', disabled: true }]);
    expect(emulator.connectionDrops(state.id)).toBe(0);
  });

  it('and allowRestart: false does not refuse it', async () => {
    const { emulator, startRun, declare, held } = await startDoor(door);
    const state = await runUp(await startRun(), declare({ allowRestart: true }));
    emulator.inject(failing('suspend_compute'));
    const stop = declare({ disabled: true, allowRestart: true });
    const failed = await failedState(runUp(await startRun(), stop, state));
    const { outputs } = await runUp(await startRun(), declare({ allowRestart: false }), failed);
    expect(Object.keys(outputs)).not.toContain('unsettledOperations');
    expect(held()).toMatchObject([{ current_state: 'active', disabled: false }]);
  });

  it.each([
    ['size', { autoscalingLimitMaxCu: 2 }],
    ['trigger', { restartTriggers: { release: '2' } }],
  ])(
    'does not restart the compute for a %s that was refused after an earlier failure',
    async (_what, change) => {
      const { emulator, startRun, declare } = await startDoor(door);
      const of = (work_mem: string, more: object = {}) =>
        declare({ pgSettings: { work_mem }, restartTriggers: { release: '1' }, ...more });
      const state = await runUp(await startRun(), of('4MB'));
      emulator.inject(failing('apply_config'));
      const failed = await failedState(runUp(await startRun(), of('8MB'), state));
      emulator.inject(refused);
      const second = await failedState(runUp(await startRun(), of('8MB', change), failed));
      await runUp(await startRun(), of('8MB', { allowRestart: false }), second);
      expect(emulator.connectionDrops(state.id)).toBe(0);
    },
  );

  it('does not restart the compute again for a trigger whose restart has finished since', async () => {
    const { emulator, startRun, declare } = await startDoor(door);
    const of = (release: string, more: object = {}) => declare({ restartTriggers: { release }, ...more });
    const state = await runUp(await startRun(), of('1'));
    const hanging = emulator.inject({
      match: { action: 'start_compute' },
      times: 1,
      effect: { kind: 'operation-hangs' },
    });
    const restart = { ...of('2'), timeoutSeconds: 1 };
    const unfinished = await failedState(runUp(await startRun(), restart, state));
    hanging.clear();
    emulator.inject(refused);
    const resize = of('2', { autoscalingLimitMaxCu: 2 });
    const second = await failedState(runUp(await startRun(), resize, unfinished));
    await runUp(await startRun(), of('2'), second);
    expect(emulator.connectionDrops(state.id)).toBe(1);
  });

  it('sends no empty change for sizes that the program no longer gives', async () => {
    const { emulator, project, branch, startRun, declare, writes } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    emulator.inject(failing('apply_config'));
    const failed = await failedState(runUp(await startRun(), declare({ autoscalingLimitMaxCu: 2 }), state));
    const without = { projectId: project.id, branchId: branch.id, type: 'read_write' } as const;
    await runUp(await startRun(), { args: without }, failed);
    expect(writes().map(({ body }) => body)).not.toContainEqual({ endpoint: {} });
  });

  it('resets a setting that was applied although the update failed afterwards', async () => {
    const { emulator, startRun, declare, held } = await startDoor(door, { readLagMs: 60 });
    const state = await runUp(await startRun(), declare());
    const fault = emulator.inject({
      match: { method: 'GET' },
      times: 'always',
      effect: { kind: 'status', status: 403 },
    });
    const change = declare({ pgSettings: { work_mem: '8MB' } });
    const failed = await failedState(runUp(await startRun(), change, state));
    fault.clear();
    await runUp(await startRun(), declare(), failed);
    expect(held()).toHaveProperty('0.settings.pg_settings', {});
  });

  it('resets a setting that a killed update has set, also if the next update is refused', async () => {
    const { emulator, startRun, declare, held } = await startDoor(door, { readLagMs: 60 });
    const state = await runUp(await startRun(), declare());
    emulator.inject(failing('apply_config'));
    const resized = { autoscalingLimitMaxCu: 2 };
    const failed = await failedState(runUp(await startRun(), declare(resized), state));
    const change = declare({ ...resized, pgSettings: { work_mem: '8MB' } });
    await runUp(await startRun(), change, failed); // Killed: the state stays as it was.
    const fault = emulator.inject({ ...refused, times: 'always' });
    const second = await failedState(runUp(await startRun(), change, failed));
    fault.clear();
    await runUp(await startRun(), declare(resized), second);
    expect(held()).toHaveProperty('0.settings.pg_settings', {});
  });

  it.each([
    ['disabled', { disabled: true }, 'disabled', false],
    ['poolerEnabled', { poolerEnabled: true }, 'pooler_enabled', false],
    ['pgSettings', { pgSettings: { work_mem: '8MB' } }, 'settings.pg_settings', {}],
  ])(
    'resets %s also if the service has refused that once, after another failure',
    async (_what, args, path, value) => {
      const { emulator, startRun, declare, held } = await startDoor(door);
      const state = await runUp(await startRun(), declare(args));
      emulator.inject(failing('apply_config'));
      const longer = { suspendTimeoutSeconds: 600 };
      const failed = await failedState(runUp(await startRun(), declare({ ...args, ...longer }), state));
      const fault = emulator.inject({ ...refused, times: 'always' });
      const second = await failedState(runUp(await startRun(), declare(longer), failed));
      fault.clear();
      await runUp(await startRun(), declare(longer), second);
      expect(held()).toHaveProperty(`0.${path}`, value);
    },
  );
});
