import { describe, expect, it } from 'vitest';
import { unknownValue } from '../../../provider/src/lifecycle/input-values';
import { silenceDiagnostics } from '../../support/diagnostics';
import { callErrorOf, failedState, type ResourceState, runUp } from '../../support/door';
import { dynamicDoor } from '../../support/dynamic-door';
import { startBranchDoor } from '../../support/start-branch-door';
import { doors } from '../../support/start-door';
import { urnOf } from '../../support/start-service';

silenceDiagnostics();

/** As the engine asks before the parent of the branch is deleted: with the inputs in state. */
const toEarly = ({ declared }: ResourceState) => ({
  ...declared,
  inputs: { ...declared.inputs, parentId: unknownValue },
});

describe.each(doors)('the gate of a Branch by %s', (_name, door) => {
  it('holds when another resource option replaces it', async () => {
    const { up, startRun, declare, failuresOf } = await startBranchDoor(door);
    const { declared } = await up();
    expect((await (await startRun()).check(declared, declare())).failures).toEqual([]);
    // As for replaceWith, replaceOnChanges and another provider: the engine does not ask for a diff.
    const run = await startRun();
    await run.check(declared, declare());
    expect((await run.check(undefined, declare())).failures).toMatchObject([
      { reason: expect.stringContaining('allowDataLoss') },
    ]);
    expect(await failuresOf({ allowDataLoss: true })).toEqual([]);
  });

  it('holds when the parent is replaced after a refresh of the branch', async () => {
    const { up, startRun } = await startBranchDoor(door);
    const state = await up();
    const run = await startRun();
    await run.read(state);
    expect(await run.diff(state, state.declared)).toMatchObject({ hasChanges: false });
    const { message } = await callErrorOf(run.diff(state, toEarly(state)));
    expect(message).toContain('allowDataLoss is not true');
  });

  it('holds for a preview once the program has withdrawn its permission', async () => {
    const { up, startRun, declare, feature } = await startBranchDoor(door);
    const state = await up({ name: 'child', parentId: feature.id, allowDataLoss: true });
    const run = await startRun();
    expect((await run.diff(state, toEarly(state))).replaces).toEqual(['parentId']);
    // A preview then passes the declaration, while nothing has been deleted yet.
    const { failures } = await run.check(undefined, declare({ name: 'child', parentId: unknownValue }));
    expect(failures).not.toEqual([]);
  });
});

it('a dynamic Branch that was refreshed under an older URN is not kept', async () => {
  const { up, startRun, held } = await startBranchDoor(dynamicDoor);
  const state = await up();
  const renamed = { ...state, outputs: { ...state.outputs, __urn: 'urn:pulumi:test::shop::t::old' } };
  const run = await startRun();
  const found = await run.read(renamed);
  if (!found) throw new Error('The branch was not found.');
  await run.diff(found, state.declared);
  await run.delete(found);
  expect(held()).toEqual([]);
});

it('an old dynamic Branch survives until its renamed one is complete', async () => {
  const { up, startRun, declare, emulator, held } = await startBranchDoor(dynamicDoor);
  const rename = ({ id, declared, outputs }: ResourceState) => {
    const __urn = urnOf('old', 'branch');
    return { id, declared: { inputs: { ...declared.inputs, __urn } }, outputs: { ...outputs, __urn } };
  };
  const old = rename(await up({ name: 'old', allowDataLoss: true }));
  const state = rename(await up({ name: 'new', allowDataLoss: true }));
  emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'status', status: 403 } });
  const run = await startRun();
  await callErrorOf(runUp(run, declare({ name: 'later', allowDataLoss: true }), state));
  expect((await callErrorOf(run.delete(old))).message).toContain('its replacement is not complete');
  expect(held().map(({ id }) => id)).toContain(old.id);
});

const refusal = 'The service deletes neither a protected branch nor its endpoints';

describe.each(doors)('a protected Branch by %s', (_name, door) => {
  it('is deleted only after an earlier up has unprotected it', async () => {
    const { up, destroy, held, writes } = await startBranchDoor(door);
    const state = await up({ protected: true });
    const { message } = await callErrorOf(destroy(state));
    expect(message).toContain(`delete of branch ${state.id}: branch ${state.id} is protected. ${refusal}`);
    expect(message).toContain('Set protected: false on the branch in an earlier `pulumi up --refresh`');
    expect(writes().map(({ method }) => method)).not.toContain('DELETE');
    await destroy(await up({ protected: false }, state));
    expect(held()).toEqual([]);
  });

  it('is not replaced by the update that unprotects it; the preview says so', async () => {
    const { up, preview, feature, held } = await startBranchDoor(door);
    const state = await up({ protected: true });
    const moved = { parentId: feature.id, allowDataLoss: true, protected: false };
    expect((await callErrorOf(preview(moved, state))).message).toContain(refusal);
    await up(moved, await up({ protected: false }, state));
    expect(held()).toMatchObject([{ parent_id: feature.id }]);
  });

  it('is protected only once it has its data; until then it is replaced', async () => {
    const { up, preview, held, emulator, feature } = await startBranchDoor(door);
    const match = { action: 'create_branch' };
    emulator.inject({ match, effect: { kind: 'operation-fails', status: 'failed' } });
    const failed = await failedState(up({ protected: true }));
    expect(held()).toMatchObject([{ id: failed.id, protected: false }]);
    const replaces = ['unsettledOperations'];
    expect(await preview({ protected: true }, failed)).toMatchObject({ replaces });
    await preview({ parentId: feature.id }, failed); // Without allowDataLoss: it has no data.
    const { id } = await up({ protected: true }, failed);
    expect(held()).toMatchObject([{ id, protected: true, current_state: 'ready' }]);
  });
});
