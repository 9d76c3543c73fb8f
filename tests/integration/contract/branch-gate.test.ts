import { describe, expect, it } from 'vitest';
import { unknownValue } from '../../../provider/src/lifecycle/input-values';
import { silenceDiagnostics } from '../../support/diagnostics';
import { callErrorOf, runUp } from '../../support/door';
import { startBranchDoor } from '../../support/start-branch-door';
import { doors } from '../../support/start-door';

silenceDiagnostics();

describe.each(doors)('the gate of a Branch by %s', (_name, door) => {
  it('holds when the parent is replaced in the run that has refreshed the branch', async () => {
    const { startRun, declare } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare());
    const run = await startRun();
    await run.read(state);
    expect(await run.diff(state, state.declared)).toMatchObject({ hasChanges: false });
    // As the engine asks before the parent is deleted.
    const early = { ...state.declared, inputs: { ...state.declared.inputs, parentId: unknownValue } };
    expect((await callErrorOf(run.diff(state, early))).message).toContain('allowDataLoss is not true');
  });

  it.runIf(_name === 'the dynamic provider')(
    'does not keep a branch from being deleted that was refreshed under an older URN',
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
