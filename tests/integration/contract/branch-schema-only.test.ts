import { describe, expect, it } from 'vitest';
import { silenceDiagnostics } from '../../support/diagnostics';
import { callErrorOf, failedState } from '../../support/door';
import { startBranchDoor } from '../../support/start-branch-door';
import { doors } from '../../support/start-door';

silenceDiagnostics();

const schemaOnly = { initSource: 'schema-only' } as const;

describe.each(doors)('a schema-only Branch by %s', (_name, door) => {
  async function startSchemaOnly() {
    const ground = await startBranchDoor(door);
    return { ...ground, ofFeature: { ...schemaOnly, parentId: ground.feature.id } };
  }

  it('has no parent at the service, which is no drift, and can be deleted', async () => {
    const { up, refresh, preview, destroy, ofFeature, held } = await startSchemaOnly();
    const state = await up(ofFeature);
    expect(held()).toMatchObject([{ init_source: 'schema-only', current_state: 'ready' }]);
    expect(held()[0]).not.toHaveProperty('parent_id');
    expect(state.outputs).toMatchObject(ofFeature);
    expect(await refresh(state)).toMatchObject({ hasChanges: false, state: { outputs: state.outputs } });
    expect(await preview(ofFeature, state)).toMatchObject({ hasChanges: false });
    await destroy(state);
    expect(held()).toEqual([]);
  });

  it('keeps its source in state when the program no longer gives it', async () => {
    const { up, refresh, preview, ofFeature } = await startSchemaOnly();
    const without = await up(schemaOnly, await up(ofFeature));
    const { state = without } = await refresh(without);
    expect(await preview(ofFeature, state)).toMatchObject({ hasChanges: false });
  });

  it('is replaced by one with another source only with allowDataLoss', async () => {
    const { up, preview, ofFeature, feature, held, main } = await startSchemaOnly();
    const state = await up(ofFeature);
    for (const change of [{ ...schemaOnly, parentId: main.id }, { initSource: 'parent-data' as const }]) {
      const { message } = await callErrorOf(preview(change, state));
      expect(message).toContain('allowDataLoss is not true');
    }
    const withData = { initSource: 'parent-data', parentId: feature.id } as const;
    const { id } = await up({ ...withData, allowDataLoss: true }, state);
    expect(held()).toMatchObject([{ id, init_source: 'parent-data', parent_id: feature.id }]);
  });

  it('is replaced by the next up if its schema could not be copied', async () => {
    const { up, held, emulator } = await startSchemaOnly();
    const action = 'apply_schema_from_branch';
    emulator.inject({ match: { action }, effect: { kind: 'operation-fails', status: 'failed' } });
    const failed = await failedState(up(schemaOnly));
    expect(failed.outputs.unsettledOperations).toMatchObject([{ action, status: 'failed' }]);
    const { id } = await up(schemaOnly, failed);
    expect(id).not.toBe(failed.id);
    expect(held()).toMatchObject([{ id, current_state: 'ready' }]);
  });

  it('may have a source that expires, because it is no child of it', async () => {
    const { failuresOf, ofFeature, feature, emulator, project } = await startSchemaOnly();
    const expires_at = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
    emulator.changeBranch(project.id, feature.id, { expires_at });
    expect(await failuresOf(ofFeature)).toEqual([]);
  });

  it('is adopted whatever its source was, but not as one with data', async () => {
    const { up, ofFeature, held } = await startSchemaOnly();
    const { id } = await up({ ...schemaOnly, name: 'schema' });
    expect((await up({ ...ofFeature, name: 'schema', adopt: true })).id).toBe(id);
    const withData = up({ name: 'schema', initSource: 'parent-data', adopt: true });
    expect((await callErrorOf(withData)).message).toContain('It has another initSource');
    expect(held()).toHaveLength(1);
  });
});
