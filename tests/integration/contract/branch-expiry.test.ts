import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { collectDiagnostics } from '../../support/diagnostics';
import { callErrorOf, runPreview, runRefresh, runUp } from '../../support/door';
import { startBranchDoor } from '../../support/start-branch-door';
import { doors } from '../../support/start-door';

const shown = collectDiagnostics();

/** A time in whole seconds, as programs give it. */
function inMinutes(minutes: number): string {
  return new Date(Date.now() + minutes * 60_000).toISOString().replace(/\.\d+Z$/, 'Z');
}

describe.each(doors)('the expiry of a Branch by %s', (_name, door) => {
  it('is set by the create, changed and removed in place', async () => {
    const { startRun, declare, held } = await startBranchDoor(door);
    const [first, second] = [inMinutes(60), inMinutes(120)];
    const created = await runUp(await startRun(), declare({ expiresAt: first }));
    expect([held()[0]?.expires_at, created.outputs.expiresAt]).toEqual([first, first]);
    const changed = await runUp(await startRun(), declare({ expiresAt: second }), created);
    expect(held()).toMatchObject([{ id: created.id, expires_at: second }]);
    const removed = await runUp(await startRun(), declare(), changed);
    expect(held()[0]).not.toHaveProperty('expires_at');
    expect(removed.outputs).not.toHaveProperty('expiresAt');
    expect(await runPreview(await startRun(), declare(), removed)).toMatchObject({ hasChanges: false });
  });

  it('is the same in another spelling of the instant', async () => {
    const { startRun, declare } = await startBranchDoor(door);
    const expiresAt = inMinutes(60);
    const state = await runUp(await startRun(), declare({ expiresAt }));
    const respelled = declare({ expiresAt: expiresAt.replace('Z', '+00:00') });
    expect(await runPreview(await startRun(), respelled, state)).toMatchObject({ hasChanges: false });
  });

  it('that others have changed is drift, which the next up takes back', async () => {
    const { startRun, declare, held } = await startBranchDoor(door);
    const expiresAt = inMinutes(60);
    const state = await runUp(await startRun(), declare({ expiresAt }));
    await runUp(await startRun(), declare({ expiresAt: inMinutes(90) }), state);
    const refreshed = await runRefresh(await startRun(), state);
    expect(refreshed.hasChanges).toBe(true);
    await runUp(await startRun(), declare({ expiresAt }), refreshed.state);
    expect(held()[0]?.expires_at).toBe(expiresAt);
  });

  it.each([
    ['has passed', () => ({ expiresAt: inMinutes(-1) })],
    ['is too late', () => ({ expiresAt: inMinutes(60 * 24 * 31) })],
    ['whole seconds with a time zone', () => ({ expiresAt: '2026-01-31' })],
    ['must not be given with protected: true', () => ({ expiresAt: inMinutes(60), protected: true })],
  ])('is refused where it %s', async (reason, toArgs) => {
    const { startRun, declare } = await startBranchDoor(door);
    const { failures } = await (await startRun()).check(undefined, declare(toArgs()));
    expect(failures).toMatchObject([{ property: 'expiresAt', reason: expect.stringContaining(reason) }]);
  });

  it('stops no unchanged program once passed; the preview says what to do', async () => {
    const { startRun, declare } = await startBranchDoor(door);
    const program = declare({ expiresAt: inMinutes(1) });
    const state = await runUp(await startRun(), program);
    expect(shown.join('')).not.toContain('expired');
    await sleep(120_000);
    const respelled = declare({ expiresAt: String(state.outputs.expiresAt).replace('Z', '+00:00') });
    for (const each of [program, respelled])
      expect(await runPreview(await startRun(), each, state)).toMatchObject({ hasChanges: false });
    expect(shown.join('')).toContain(`expired at ${state.outputs.expiresAt}: set a later expiresAt`);
  });

  it('is refused for a branch with children', async () => {
    const { startRun, declare, emulator, project } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare());
    const child = emulator.createBranch(project.id, { parentId: state.id });
    const preview = runPreview(await startRun(), declare({ expiresAt: inMinutes(60) }), state);
    const { message } = await callErrorOf(preview);
    expect(message).toContain(`can't expire: other branches were created from it: ${child.id}`);
  });

  it('is refused for the default branch that a create adopts', async () => {
    const { startRun, declare, emulator, project } = await startBranchDoor(door);
    const [main] = emulator.branches(project.id).filter((branch) => branch.default);
    const adopting = declare({ name: main?.name ?? '', adopt: true, expiresAt: inMinutes(60) });
    const { failures } = await (await startRun()).check(undefined, adopting);
    const reason = expect.stringContaining('it is the default branch of the project');
    expect(failures).toMatchObject([{ property: 'expiresAt', reason }]);
  });

  it('of its parent refuses a child', async () => {
    const { startRun, declare } = await startBranchDoor(door);
    const { id } = await runUp(await startRun(), declare({ expiresAt: inMinutes(60) }));
    const { failures } = await (await startRun()).check(undefined, declare({ name: 'child', parentId: id }));
    expect(failures).toMatchObject([{ property: 'parentId', reason: expect.stringContaining('expires at') }]);
  });
});
