import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { collectDiagnostics } from '../../support/diagnostics';
import { callErrorOf } from '../../support/door';
import { startBranchDoor } from '../../support/start-branch-door';
import { doors } from '../../support/start-door';

const shown = collectDiagnostics();

/** A time in whole seconds, as programs give it. */
function inMinutes(minutes: number): string {
  return new Date(Date.now() + minutes * 60_000).toISOString().replace(/\.\d+Z$/, 'Z');
}

describe.each(doors)('the expiry of a Branch by %s', (_name, door) => {
  it('is set by the create, changed and removed in place', async () => {
    const { up, preview, held } = await startBranchDoor(door);
    const [first, second] = [inMinutes(60), inMinutes(120)];
    const created = await up({ expiresAt: first });
    expect([held()[0]?.expires_at, created.outputs.expiresAt]).toEqual([first, first]);
    const changed = await up({ expiresAt: second }, created);
    expect(held()).toMatchObject([{ id: created.id, expires_at: second }]);
    const removed = await up({}, changed);
    expect(held()[0]).not.toHaveProperty('expires_at');
    expect(removed.outputs).not.toHaveProperty('expiresAt');
    expect(await preview({}, removed)).toMatchObject({ hasChanges: false });
  });

  it('stops no unchanged program once passed; the preview says what to do', async () => {
    const { up, preview } = await startBranchDoor(door);
    const expiresAt = inMinutes(1);
    const state = await up({ expiresAt });
    expect(shown.join('')).not.toContain('expired');
    await sleep(120_000);
    for (const spelled of [expiresAt, expiresAt.replace('Z', '+00:00')])
      expect(await preview({ expiresAt: spelled }, state)).toMatchObject({ hasChanges: false });
    const sentence = `expired at ${expiresAt}: set a later expiresAt, then \`pulumi up --refresh\` creates it again, without what was written to it`;
    expect(shown.join('')).toContain(sentence);
  });

  it('is refused for a branch with children', async () => {
    const { up, preview, emulator, project } = await startBranchDoor(door);
    const state = await up();
    const child = emulator.createBranch(project.id, { parentId: state.id });
    const { message } = await callErrorOf(preview({ expiresAt: inMinutes(60) }, state));
    expect(message).toContain(`can't expire: other branches were created from it: ${child.id}`);
  });

  it('is allowed with the update that unprotects the branch', async () => {
    const { up, preview } = await startBranchDoor(door);
    const state = await up({ protected: true });
    for (const change of [{ protected: false }, {}])
      expect(await preview({ ...change, expiresAt: inMinutes(60) }, state)).toMatchObject({
        hasChanges: true,
      });
  });

  it('is refused for the default branch that a create adopts', async () => {
    const { failuresOf, main } = await startBranchDoor(door);
    const reason = expect.stringContaining('it is the default branch of the project');
    const adopting = { name: main.name, adopt: true, expiresAt: inMinutes(60) };
    expect(await failuresOf(adopting)).toMatchObject([{ property: 'expiresAt', reason }]);
  });

  it('set by another client refuses a protection', async () => {
    const { up, preview, failuresOf, emulator, project } = await startBranchDoor(door);
    const state = await up({ name: 'data' });
    emulator.changeBranch(project.id, state.id, { expires_at: inMinutes(60) });
    const { message } = await callErrorOf(preview({ name: 'data', protected: true }, state));
    expect(message).toContain("can't be protected: it expires at");
    expect(await failuresOf({ name: 'data', adopt: true, protected: true })).toHaveLength(1);
  });

  it('of its source refuses a reset that would make it a child', async () => {
    const { up, preview } = await startBranchDoor(door);
    const source = await up({ name: 'source', expiresAt: inMinutes(60) });
    const state = await up({ name: 'data' });
    const reset = {
      name: 'data',
      allowDataLoss: true,
      resetTriggers: { n: 1 },
      restoreFrom: { branchId: source.id },
    };
    const { message } = await callErrorOf(preview(reset, state));
    expect(message).toMatch(/its source, \S+, expires at \S+, so it can have no children/);
    await up({ ...reset, preserveUnderName: 'before' }, state);
  });

  it('of its parent refuses a child', async () => {
    const { up, failuresOf } = await startBranchDoor(door);
    const { id: parentId } = await up({ expiresAt: inMinutes(60) });
    const reason = expect.stringContaining('expires at');
    expect(await failuresOf({ name: 'child', parentId })).toMatchObject([{ property: 'parentId', reason }]);
  });
});
