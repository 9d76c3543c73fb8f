import { describe, expect, it } from 'vitest';
import { unknownValue } from '../../../provider/src/lifecycle/input-values';
import { silenceDiagnostics } from '../../support/diagnostics';
import { callErrorOf, runUp } from '../../support/door';
import { startBranchDoor } from '../../support/start-branch-door';
import { doors } from '../../support/start-door';

silenceDiagnostics();

describe.each(doors)('the gate of a Branch by %s', (_name, door) => {
  it('holds when the parent is replaced after a refresh of the branch', async () => {
    const { startRun, declare } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare());
    const run = await startRun();
    await run.read(state);
    expect(await run.diff(state, state.declared)).toMatchObject({ hasChanges: false });
    // As the engine asks before the parent is deleted.
    const early = { ...state.declared, inputs: { ...state.declared.inputs, parentId: unknownValue } };
    expect((await callErrorOf(run.diff(state, early))).message).toContain('allowDataLoss is not true');
  });

  it('holds for a preview once the program has withdrawn its permission', async () => {
    const { startRun, declare, feature } = await startBranchDoor(door);
    const child = declare({ name: 'child', parentId: feature.id, allowDataLoss: true });
    const state = await runUp(await startRun(), child);
    const run = await startRun();
    // The parent is about to be replaced: the engine asks with the inputs in state, before it passes the declaration.
    const early = { ...state.declared, inputs: { ...state.declared.inputs, parentId: unknownValue } };
    expect((await run.diff(state, early)).replaces).toEqual(['parentId']);
    // A preview then passes the declaration, while nothing has been deleted yet.
    const { failures } = await run.check(undefined, declare({ name: 'child', parentId: unknownValue }));
    expect(failures).not.toEqual([]);
  });

  it.runIf(_name === 'the dynamic provider')(
    'does not keep a branch that was refreshed under an older URN',
    async () => {
      const { startRun, declare, held } = await startBranchDoor(door);
      const state = await runUp(await startRun(), declare());
      const renamed = { ...state, outputs: { ...state.outputs, __urn: 'urn:pulumi:test::shop::t::old' } };
      const run = await startRun();
      const found = await run.read(renamed);
      if (!found) throw new Error('The branch was not found.');
      await run.diff(found, state.declared);
      await run.delete(found);
      expect(held()).toEqual([]);
    },
  );
});
