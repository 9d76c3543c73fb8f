import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { collectDiagnostics } from '../../support/diagnostics';
import { callErrorOf, failedState } from '../../support/door';
import { startBranchDoor } from '../../support/start-branch-door';
import { doors } from '../../support/start-door';

const shown = collectDiagnostics();

const restore = { method: 'POST', path: '/projects/:project/branches/:branch/restore' };
const copying = { action: 'create_branch' };
const first = { name: 'pr', resetTriggers: { commit: 'a' } };
const triggers = { name: 'pr', resetTriggers: { commit: 'b' } };
const second = { ...triggers, allowDataLoss: true };
const preserving = { ...triggers, preserveUnderName: 'pr-before' };

describe.each(doors)('a reset of a Branch by %s', (_name, door) => {
  async function startReset() {
    const ground = await startBranchDoor(door);
    const { up, preview, writes, project, emulator } = ground;
    const state = await up(first);
    const endpoint = emulator.createEndpoint(project.id, { branch_id: state.id, type: 'read_write' });
    return {
      ...ground,
      state,
      endpoint,
      resets: () => writes().filter(({ path }) => path.endsWith('/restore')),
      up: (args: object, before = state, timeoutSeconds?: number) => up(args, before, timeoutSeconds),
      preview: (args: object, before = state) => preview(args, before),
    };
  }

  it('keeps the branch, and happens once for each change of its triggers', async () => {
    const { state, resets, up, preview, held, endpoint, emulator } = await startReset();
    const after = await up(second);
    expect(held()).toMatchObject([{ id: state.id, current_state: 'ready' }]);
    expect(emulator.endpoints()).toContainEqual(
      expect.objectContaining({ id: endpoint.id, host: endpoint.host }),
    );
    expect(after.outputs.lastResetAt).toBe(held()[0]?.last_reset_at);
    expect(await preview(second, after)).toMatchObject({ hasChanges: false });
    await up({ ...second, resetTriggers: { commit: 'c' } }, after);
    expect(resets()).toHaveLength(2);
  });

  it('needs allowDataLoss, or a name under which the data stays', async () => {
    const { state, up, preview, held, resets } = await startReset();
    const { message } = await callErrorOf(preview(triggers));
    expect(message).toContain('allowDataLoss is not true, and this deletes the data of branch');
    expect(resets()).toEqual([]);
    await preview(second);
    expect(shown.join('')).toMatch(
      /deletes the data of branch br-\S+ \("pr"\), drops the connections of its endpoints, and resets it to the present data of br-\S+ \("main"\): a change of resetTriggers/,
    );
    await up(preserving);
    const kept = held().find(({ name }) => name === 'pr-before');
    expect(held()).toMatchObject([{ id: state.id, parent_id: kept?.id }, { current_state: 'ready' }]);
    expect(shown.join('')).toContain('leaves its own data in branch "pr-before", which is in no state');
  });

  it('needs another trigger: not none, nor another restoreFrom alone', async () => {
    const { state, preview, resets, up, feature } = await startReset();
    expect(await preview({ name: 'pr' })).toMatchObject({ hasChanges: false });
    await up({ ...first, restoreFrom: { branchId: feature.id } });
    expect([resets(), state.outputs.resetTriggers]).toEqual([[], first.resetTriggers]);
  });

  it('is refused before anything changes if the source does not exist', async () => {
    const { up } = await startReset();
    const { message } = await callErrorOf(up({ ...second, restoreFrom: { branchId: 'br-none-1' } }));
    expect(message).toContain('br-none-1 is not a branch of the project. Nothing was changed');
  });

  it('takes the data from restoreFrom', async () => {
    const { up, held, feature, emulator } = await startReset();
    const timestamp = '2025-12-31T08:00:00Z';
    const { outputs } = await up({ ...second, restoreFrom: { branchId: feature.id, timestamp } });
    expect(held()[0]).toMatchObject({ parent_id: feature.id, parent_timestamp: '2025-12-31T08:00:00.000Z' });
    expect(emulator.requests().at(-1)?.path).not.toContain('restore');
    expect(outputs.lastResetAt).toBeDefined();
  });

  it('leaves no drift: of the parent, and of an expiry that counts anew', async () => {
    const { up, refresh, feature } = await startBranchDoor(door);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
    const args = { ...first, expiresAt, parentId: feature.id };
    const state = await up(args);
    await sleep(5_000);
    const after = await up({ ...args, ...preserving, restoreFrom: { branchId: feature.id } }, state);
    expect(await refresh(after)).toMatchObject({ hasChanges: false });
  });

  it.each<[string, RequestEffect]>([
    ['is lost before the work', { kind: 'lost-before-work' }],
    ['is lost after the work', { kind: 'lost-after-work' }],
    ['is a 502 after the work', { kind: 'status', status: 502, when: 'after-work' }],
    ['is truncated', { kind: 'malformed' }],
  ])('happens once although the response %s', async (_how, effect) => {
    const { up, held, emulator, project, state } = await startReset();
    emulator.inject({ match: restore, effect });
    const { outputs } = await up(second);
    const copies = emulator.operations(project.id).filter(({ branch_id }) => branch_id === state.id);
    // Of the create, and of the reset.
    expect(copies.filter(({ action }) => action === 'create_branch')).toHaveLength(2);
    expect(outputs).toMatchObject({ lastResetAt: held()[0]?.last_reset_at, ...triggers });
  });

  it('happens once although a run was killed, also after a refresh', async () => {
    const { refresh, up, resets, preview, state, held, emulator, project } = await startReset();
    await up(second); // Killed: its state is lost.
    emulator.addOperation(project.id, { action: 'create_branch', status: 'failed' }); // Of another branch.
    const { state: refreshed = state } = await refresh(state);
    for (const before of [state, refreshed]) {
      await preview(second, before);
      expect(shown.join('')).toContain('does not repeat it');
      const { outputs } = await up(second, before);
      expect(outputs).toMatchObject({ lastResetAt: held()[0]?.last_reset_at, ...triggers });
    }
    expect(resets()).toHaveLength(1);
  });

  it.each([['of this run'], ['of a killed run']])(
    'is repeated by the next up when that %s failed',
    async (whose) => {
      const { up, preview, resets, emulator, state, held } = await startReset();
      emulator.inject({ match: copying, effect: { kind: 'operation-fails' } });
      const failed = await failedState(up(second));
      expect(failed.outputs).toMatchObject({
        unsettledOperations: [{ action: 'create_branch', status: 'failed' }],
        resetTriggers: { commit: 'a' },
      });
      const before = whose === 'of this run' ? failed : state;
      shown.length = 0;
      await preview(second, before);
      expect(shown.join('')).toContain('and resets it');
      const { outputs } = await up(second, before);
      expect(outputs).toMatchObject({ lastResetAt: held()[0]?.last_reset_at, ...triggers });
      expect(outputs).not.toHaveProperty('unsettledOperations');
      expect(resets()).toHaveLength(2);
    },
  );

  it('that failed is not repeated once its change is reverted', async () => {
    const { up, resets, emulator } = await startReset();
    emulator.inject({ match: copying, effect: { kind: 'operation-fails' } });
    const failed = await failedState(up(second));
    const { outputs } = await up(first, failed);
    expect([outputs.unsettledOperations, resets().length]).toEqual([undefined, 1]);
  });

  it('needs an unprotected branch, also by an update of the same run', async () => {
    const { up, preview, held } = await startBranchDoor(door);
    const state = await up({ ...first, protected: true });
    const kept = preview({ ...second, protected: true }, state);
    expect((await callErrorOf(kept)).message).toContain('it is protected. Set protected: false');
    const { outputs } = await up(second, state);
    expect(held()).toMatchObject([{ protected: false, last_reset_at: outputs.lastResetAt }]);
  });

  it('of a branch with children needs a name for the branch that gets them', async () => {
    const { state, preview, up, emulator, project, held } = await startReset();
    const child = emulator.createBranch(project.id, { parentId: state.id });
    expect((await callErrorOf(preview(second))).message).toContain(`it has children: ${child.id}`);
    await up(preserving);
    const parent = held().find(({ name }) => name === 'pr-before');
    expect(held().find(({ id }) => id === child.id)?.parent_id).toBe(parent?.id);
    const again = { ...preserving, resetTriggers: { commit: 'c' } };
    const { message } = await callErrorOf(preview(again, await up(preserving)));
    expect(message).toContain(`preserveUnderName is "pr-before", and the project already has a branch`);
  });

  it.each([
    ['without a parent', false, 'it has no parent. Set restoreFrom: { branchId }'],
    ['from itself, as it is now,', true, 'it is its own source'],
  ])('of a branch %s is refused', async (_what, isOwn, reason) => {
    const { up, preview, main } = await startBranchDoor(door);
    const adopting = { name: main.name, adopt: true };
    const state = await up({ ...first, ...adopting });
    const restoreFrom = isOwn && { restoreFrom: { branchId: state.id } };
    const { message } = await callErrorOf(preview({ ...second, ...adopting, ...restoreFrom }, state));
    expect(message).toContain(reason);
  });
});
