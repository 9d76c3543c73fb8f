import { describe, expect, it } from 'vitest';
import type { EndpointInputs } from '../../../provider/src/endpoint/endpoint-inputs';
import { collectDiagnostics } from '../../support/diagnostics';
import { failedState, runPreview, runRefresh, runUp } from '../../support/door';
import { doors, startDoor } from '../../support/start-door';

const shown = collectDiagnostics();

const replacing: [Partial<EndpointInputs>, string][] = [
  [{ projectId: 'another-project-1' }, 'projectId'],
  [{ type: 'read_only' }, 'type'],
  [{ regionId: 'elsewhere' }, 'regionId'],
  [{ provisioner: 'k8s-pod' }, 'provisioner'],
];

const inPlace: [Partial<EndpointInputs>][] = [
  [{ branchId: 'br-another-1' }],
  [{ name: 'renamed' }],
  [{ autoscalingLimitMaxCu: 2 }],
  [{ suspendTimeoutSeconds: 900 }],
  [{ poolerEnabled: true }],
  [{ pgSettings: { work_mem: '8MB' } }],
  [{ disabled: true }],
  [{ restartTriggers: { release: '2' } }],
  [{ waitForOperations: false }],
];

describe.each(doors)('a diff by %s', (_name, door) => {
  it('finds no change in an unchanged program, and makes no request', async () => {
    const { startRun, declare, emulator } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    const before = emulator.requests().length;
    const preview = await runPreview(await startRun(), declare(), state);
    expect(preview).toEqual({ hasChanges: false, replaces: [] });
    expect(emulator.requests()).toHaveLength(before);
  });

  it.each(replacing)('replaces the endpoint for %j', async (change, property) => {
    const { startRun, declare } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    const preview = await runPreview(await startRun(), declare(change), state);
    expect(preview).toEqual({ hasChanges: true, replaces: [property] });
  });

  it.each(inPlace)('updates the endpoint in place for %j', async (change) => {
    const { startRun, declare } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    const preview = await runPreview(await startRun(), declare(change), state);
    expect(preview).toEqual({ hasChanges: true, replaces: [] });
  });

  it('warns that a change of size restarts an active compute', async () => {
    const { startRun, declare } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    await runPreview(await startRun(), declare({ autoscalingLimitMaxCu: 2 }), state);
    expect(shown.join('')).toContain(
      'restarts the compute, drops its connections (active now): max 1 => 2 CU',
    );
  });

  it.each([
    ['of the program', { allowRestart: false }, {}],
    ['of the stack', {}, { allowRestart: 'false' }],
  ])('stops a restart that allowRestart: false %s forbids', async (_whose, args, config) => {
    const { startRun, declare, writes } = await startDoor(door);
    const state = await runUp(await startRun(config), declare(args));
    const before = writes().length;
    const larger = declare({ ...args, autoscalingLimitMaxCu: 2 });
    await expect(runPreview(await startRun(config), larger, state)).rejects.toThrow(
      /^allowRestart is false, and this restarts the compute/,
    );
    expect(writes()).toHaveLength(before);
  });

  it('allows a change without a restart under allowRestart: false', async () => {
    const { startRun, declare, held } = await startDoor(door);
    const state = await runUp(await startRun(), declare({ allowRestart: false }));
    const changed = declare({ allowRestart: false, suspendTimeoutSeconds: 900 });
    await runUp(await startRun(), changed, state);
    expect(held()).toMatchObject([{ suspend_timeout_seconds: 900 }]);
  });
});

describe.each(doors)('a refresh by %s', (_name, door) => {
  it('finds no change after a create', async () => {
    const { startRun, declare } = await startDoor(door);
    const state = await runUp(await startRun(), declare({ pgSettings: { work_mem: '8MB' } }));
    expect(await runRefresh(await startRun(), state)).toMatchObject({ hasChanges: false, state });
  });

  it('reports a size that another client has changed, even under allowRestart: false, without a warning', async () => {
    const { startRun, declare, emulator } = await startDoor(door);
    const state = await runUp(await startRun(), declare({ allowRestart: false }));
    emulator.changeEndpoint(state.id, { autoscaling_limit_max_cu: 4 });
    shown.length = 0;
    const { hasChanges, state: refreshed } = await runRefresh(await startRun(), state);
    expect(hasChanges).toBe(true);
    expect(refreshed?.outputs).toMatchObject({ autoscalingLimitMaxCu: 4 });
    expect(refreshed?.declared.inputs).toMatchObject({ autoscalingLimitMaxCu: 4 });
    expect(shown).toEqual([]);
  });

  it('does not exempt the update of the same run from allowRestart: false', async () => {
    const { startRun, declare, emulator } = await startDoor(door);
    const gated = declare({ allowRestart: false });
    const state = await runUp(await startRun(), gated);
    emulator.changeEndpoint(state.id, { autoscaling_limit_max_cu: 4 });
    const run = await startRun();
    const { state: refreshed } = await runRefresh(run, state);
    await expect(runUp(run, gated, refreshed)).rejects.toThrow(/^allowRestart is false/);
    expect(emulator.restarts(state.id)).toBe(0);
  });

  it('lets the update of the same run restore what drifted', async () => {
    const { startRun, declare, emulator, held } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    emulator.changeEndpoint(state.id, { autoscaling_limit_max_cu: 4 });
    const run = await startRun();
    const { state: refreshed } = await runRefresh(run, state);
    await runUp(run, declare(), refreshed);
    expect(held()).toMatchObject([{ id: state.id, autoscaling_limit_max_cu: 1 }]);
  });

  it('keeps a failed operation in state, which the next up retries', async () => {
    const { startRun, declare, emulator, held } = await startDoor(door);
    emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } });
    const failed = await failedState(runUp(await startRun(), declare()));
    const { state } = await runRefresh(await startRun(), failed);
    expect(state?.outputs.unsettledOperations).toEqual(failed.outputs.unsettledOperations);
    await runUp(await startRun(), declare(), state);
    expect(held()).toMatchObject([{ id: failed.id, current_state: 'active' }]);
  });

  it('returns the inputs of an update that failed, of which the engine keeps only the outputs', async () => {
    const { startRun, declare, emulator } = await startDoor(door);
    const state = await runUp(await startRun(), declare({ autoscalingLimitMaxCu: 1 }));
    emulator.inject({ match: { action: 'apply_config' }, effect: { kind: 'operation-fails' } });
    const failed = await failedState(runUp(await startRun(), declare({ autoscalingLimitMaxCu: 2 }), state));
    expect(failed.declared.inputs).toMatchObject({ autoscalingLimitMaxCu: 1 });
    const { state: refreshed } = await runRefresh(await startRun(), failed);
    expect(refreshed?.declared.inputs).toMatchObject({ autoscalingLimitMaxCu: 2 });
  });

  it('finds that the endpoint no longer exists', async () => {
    const { startRun, declare, emulator } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    emulator.deleteEndpoint(state.id);
    expect(await runRefresh(await startRun(), state)).toMatchObject({ state: undefined });
  });

  it('does not keep the endpoint from being deleted in the same run (destroy --refresh)', async () => {
    const { startRun, declare, held } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    const run = await startRun();
    await runRefresh(run, state);
    await run.delete(state);
    expect(held()).toEqual([]);
  });
});
