import { describe, expect, it } from 'vitest';
import { silenceDiagnostics } from '../../support/diagnostics';
import { callErrorOf, failedState, runPreview, runRefresh, runUp } from '../../support/door';
import { pluginDoor } from '../../support/plugin-door';
import { startBranchDoor } from '../../support/start-branch-door';
import { doors } from '../../support/start-door';

silenceDiagnostics();

const schemaOnly = { initSource: 'schema-only' } as const;

describe.each(doors)('a schema-only Branch by %s', (_name, door) => {
  it('has no parent at the service, which is no drift, and can be deleted', async () => {
    const { startRun, declare, feature, held } = await startBranchDoor(door);
    const program = declare({ ...schemaOnly, parentId: feature.id });
    const state = await runUp(await startRun(), program);
    expect(held()).toMatchObject([{ init_source: 'schema-only', current_state: 'ready' }]);
    expect(held()[0]).not.toHaveProperty('parent_id');
    expect(state.outputs).toMatchObject({ ...schemaOnly, parentId: feature.id });
    const refreshed = await runRefresh(await startRun(), state);
    expect(refreshed).toMatchObject({ hasChanges: false, state: { outputs: state.outputs } });
    expect(await runPreview(await startRun(), program, state)).toMatchObject({ hasChanges: false });
    await (await startRun()).delete(state);
    expect(held()).toEqual([]);
  });

  it('keeps its source in state when the program no longer gives it', async () => {
    const { startRun, declare, feature } = await startBranchDoor(door);
    const program = declare({ ...schemaOnly, parentId: feature.id });
    const state = await runUp(await startRun(), program);
    const without = await runUp(await startRun(), declare(schemaOnly), state);
    const refreshed = await runRefresh(await startRun(), without);
    const preview = runPreview(await startRun(), program, refreshed.state ?? without);
    expect(await preview).toMatchObject({ hasChanges: false });
  });

  it('is replaced by one with another source only with allowDataLoss', async () => {
    const { startRun, declare, feature, held, emulator, project } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare({ ...schemaOnly, parentId: feature.id }));
    const [main] = emulator.branches(project.id).filter((branch) => branch.default);
    for (const change of [
      { ...schemaOnly, parentId: main?.id ?? '' },
      { initSource: 'parent-data' as const },
    ]) {
      const { message } = await callErrorOf(runPreview(await startRun(), declare(change), state));
      expect(message).toContain('allowDataLoss is not true');
    }
    const withData = declare({ initSource: 'parent-data', parentId: feature.id, allowDataLoss: true });
    const replaced = await runUp(await startRun(), withData, state);
    expect(held()).toMatchObject([{ id: replaced.id, init_source: 'parent-data', parent_id: feature.id }]);
  });

  it('is replaced by the next up if its schema could not be copied', async () => {
    const { startRun, declare, held, emulator } = await startBranchDoor(door);
    const program = declare(schemaOnly);
    const action = 'apply_schema_from_branch';
    emulator.inject({ match: { action }, effect: { kind: 'operation-fails', status: 'failed' } });
    const failed = await failedState(runUp(await startRun(), program));
    expect(failed.outputs.unsettledOperations).toMatchObject([{ action, status: 'failed' }]);
    const { id } = await runUp(await startRun(), program, failed);
    expect(id).not.toBe(failed.id);
    expect(held()).toMatchObject([{ id, current_state: 'ready' }]);
  });

  it('is waited for by the next up if the copy of its schema takes longer', async () => {
    const { startRun, declare, held, emulator } = await startBranchDoor(door);
    const match = { action: 'apply_schema_from_branch' };
    const hanging = emulator.inject({ match, effect: { kind: 'operation-hangs' } });
    const state = await failedState(runUp(await startRun(), declare(schemaOnly, 0.3)));
    hanging.clear();
    const { outputs } = await runUp(await startRun(), declare(schemaOnly), state);
    expect(held()).toMatchObject([{ id: state.id, current_state: 'ready' }]);
    expect(outputs).not.toHaveProperty('unsettledOperations');
  });

  it('may have a source that expires, because it is no child of it', async () => {
    const { startRun, declare, feature, emulator, project } = await startBranchDoor(door);
    const expires_at = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
    emulator.changeBranch(project.id, feature.id, { expires_at });
    const declared = declare({ ...schemaOnly, parentId: feature.id });
    expect((await (await startRun()).check(undefined, declared)).failures).toEqual([]);
  });

  it('is asked for alone: a branch in an older state has its data', async () => {
    const { startRun, declare } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare());
    const { initSource: _, ...older } = state.outputs;
    const same = declare({ initSource: 'parent-data' });
    const preview = runPreview(await startRun(), same, { ...state, outputs: older });
    expect(await preview).toMatchObject({ hasChanges: false });
  });

  it('is adopted whatever its source was, but not as one with data', async () => {
    const { startRun, declare, feature, held } = await startBranchDoor(door);
    const { id } = await runUp(await startRun(), declare({ ...schemaOnly, name: 'schema' }));
    const adopting = declare({ ...schemaOnly, name: 'schema', parentId: feature.id, adopt: true });
    expect((await runUp(await startRun(), adopting)).id).toBe(id);
    const withData = declare({ name: 'schema', initSource: 'parent-data', adopt: true });
    const { message } = await callErrorOf(runUp(await startRun(), withData));
    expect(message).toContain('It has another initSource');
    expect(held()).toHaveLength(1);
  });
});

it('an import declares that a branch is schema-only', async () => {
  const { startRun, declare, project } = await startBranchDoor(pluginDoor);
  const { id } = await runUp(await startRun(), declare(schemaOnly));
  const imported = { id: `${project.id}/${id}`, declared: { inputs: {} }, outputs: {} };
  const found = await (await startRun()).read(imported);
  expect(found?.declared.inputs).toMatchObject(schemaOnly);
  expect(found?.declared.inputs).not.toHaveProperty('parentId');
});
