import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { collectDiagnostics } from '../../support/diagnostics';
import { callErrorOf, failedState, runPreview, runRefresh, runUp } from '../../support/door';
import { startBranchDoor } from '../../support/start-branch-door';
import { doors } from '../../support/start-door';

const shown = collectDiagnostics();

const restore = { method: 'POST', path: '/projects/:project/branches/:branch/restore' };
const copies = { action: 'create_branch' };
const first = { name: 'pr', resetTriggers: { commit: 'a' } };
const triggers = { name: 'pr', resetTriggers: { commit: 'b' } };
const second = { ...triggers, allowDataLoss: true };
const preserving = { ...triggers, preserveUnderName: 'pr-before' };

describe.each(doors)('a reset of a Branch by %s', (_name, door) => {
  async function startReset(options: Parameters<typeof startBranchDoor>[1] = {}) {
    const ground = await startBranchDoor(door, options);
    const { startRun, declare, project, emulator } = ground;
    const state = await runUp(await startRun(), declare(first));
    const endpoint = emulator.createEndpoint(project.id, { branch_id: state.id, type: 'read_write' });
    return {
      ...ground,
      state,
      endpoint,
      resets: () => ground.writes().filter(({ path }) => path.endsWith('/restore')),
      up: async (args: object, before = state, timeoutSeconds?: number) =>
        runUp(await startRun(), declare(args, timeoutSeconds), before),
      preview: async (args: object, before = state) => runPreview(await startRun(), declare(args), before),
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

  it('is in the preview as one sentence with the name of the branch', async () => {
    const { preview } = await startReset();
    await preview(second);
    expect(shown.join('')).toMatch(
      /resets branch br-\S+ \("pr"\) to the present data of br-\S+ \("main"\), drops the connections of its endpoints, and deletes the data of its own: a change of resetTriggers/,
    );
  });

  it('needs allowDataLoss, or a name under which the data stays', async () => {
    const { state, up, preview, held, resets } = await startReset();
    const { message } = await callErrorOf(preview(triggers));
    expect(message).toContain('allowDataLoss is not true, and this resets branch');
    expect(resets()).toEqual([]);
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
    const { startRun, declare, feature } = await startBranchDoor(door);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
    const args = { ...first, expiresAt, parentId: feature.id };
    const state = await runUp(await startRun(), declare(args));
    await sleep(5_000);
    const changed = { ...args, ...preserving, restoreFrom: { branchId: feature.id } };
    const after = await runUp(await startRun(), declare(changed), state);
    expect(await runRefresh(await startRun(), after)).toMatchObject({ hasChanges: false });
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
    const all = emulator.operations(project.id);
    expect(all.filter((each) => each.action === 'create_branch' && each.branch_id === state.id)).toHaveLength(
      2,
    ); // Of the create, and of the reset.
    expect(outputs).toMatchObject({ lastResetAt: held()[0]?.last_reset_at, resetTriggers: { commit: 'b' } });
  });

  it('happens once although a run was killed, also after a refresh', async () => {
    const { startRun, up, resets, preview, state, held } = await startReset();
    await up(second); // Killed: its state is lost.
    const { state: refreshed = state } = await runRefresh(await startRun(), state);
    for (const before of [state, refreshed]) {
      await preview(second, before);
      expect(shown.join('')).toContain('does not repeat it');
      const { outputs } = await up(second, before);
      expect(outputs).toMatchObject({
        lastResetAt: held()[0]?.last_reset_at,
        resetTriggers: { commit: 'b' },
      });
    }
    expect(resets()).toHaveLength(1);
  });

  it('is waited for by the next up when it takes longer', async () => {
    const { up, resets, emulator, held } = await startReset();
    const hanging = emulator.inject({ match: copies, effect: { kind: 'operation-hangs' } });
    const late = await failedState(up(second, undefined, 0.5));
    expect(late.outputs.resetTriggers).toEqual({ commit: 'a' });
    hanging.clear();
    const { outputs } = await up(second, late);
    expect(outputs).not.toHaveProperty('unsettledOperations');
    expect([resets().length, held()[0]?.current_state]).toEqual([1, 'ready']);
  });

  it.each([['of this run'], ['of a killed run']])(
    'is repeated by the next up when that %s failed',
    async (whose) => {
      const { up, preview, resets, emulator, state, held } = await startReset();
      emulator.inject({ match: copies, effect: { kind: 'operation-fails' } });
      const failed = await failedState(up(second));
      expect(failed.outputs.unsettledOperations).toMatchObject([
        { action: 'create_branch', status: 'failed' },
      ]);
      const before = whose === 'of this run' ? failed : state;
      shown.length = 0;
      await preview(second, before);
      expect(shown.join('')).toContain('resets branch');
      const { outputs } = await up(second, before);
      expect(outputs).toMatchObject({
        lastResetAt: held()[0]?.last_reset_at,
        resetTriggers: { commit: 'b' },
      });
      expect(outputs).not.toHaveProperty('unsettledOperations');
      expect(resets()).toHaveLength(2);
    },
  );

  it('that failed is not repeated once its change is reverted', async () => {
    const { up, resets, emulator } = await startReset();
    emulator.inject({ match: copies, effect: { kind: 'operation-fails' } });
    const failed = await failedState(up(second));
    const { outputs } = await up(first, failed);
    expect([outputs.unsettledOperations, resets().length]).toEqual([undefined, 1]);
  });

  it('is done although a compute fails to start after it', async () => {
    const { up, preview, emulator } = await startReset();
    emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } });
    const failed = await failedState(up(second));
    expect(failed.outputs).toMatchObject({ resetTriggers: { commit: 'b' } });
    expect(await preview(second, failed)).toMatchObject({ hasChanges: false });
  });

  it('waits while other operations lock the project', async () => {
    const { up, emulator, project, resets } = await startReset();
    const unlock = emulator.lockProject(project.id);
    const done = up(second);
    await sleep(500);
    expect(resets().map(({ status }) => status)).toContain(423);
    expect(emulator.branches(project.id).every((branch) => branch.last_reset_at === undefined)).toBe(true);
    unlock();
    expect((await done).outputs.resetTriggers).toEqual({ commit: 'b' });
  });

  it('needs an unprotected branch, also by an update of the same run', async () => {
    const { startRun, declare, held } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare({ ...first, protected: true }));
    const kept = runPreview(await startRun(), declare({ ...second, protected: true }), state);
    expect((await callErrorOf(kept)).message).toContain('it is protected. Set protected: false');
    const { outputs } = await runUp(await startRun(), declare(second), state);
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
    ['restoreFrom', { restoreFrom: { timestamp: '2025-12-31T08:00:00Z', lsn: '0/1E88DF8' } }, 'but not both'],
    ['restoreFrom', { restoreFrom: { timestamp: 'yesterday' } }, 'timestamp must be a point in time'],
    ['restoreFrom', { restoreFrom: { timestamp: '2099-01-01T00:00:00Z' } }, 'a timestamp in the past'],
    ['restoreFrom', { initSource: 'schema-only' }, 'needs a branchId'],
    ['preserveUnderName', { name: 'pr', preserveUnderName: 'pr' }, 'must differ from name'],
    ['resetTriggers', { resetTriggers: 'now' }, 'must be a map of values whose change resets the branch'],
    ['preserveUnderName', { preserveUnderName: '' }, 'must be 1 to 256 characters'],
  ])('is refused with a wrong %s', async (property, args, reason) => {
    const { startRun, declare } = await startBranchDoor(door);
    const { failures } = await (await startRun()).check(undefined, declare({ ...first, ...args } as object));
    expect(failures).toMatchObject([{ property, reason: expect.stringContaining(reason) }]);
  });

  it.each([
    ['without a parent', false, 'it has no parent. Set restoreFrom: { branchId }'],
    ['from itself, as it is now,', true, 'it is its own source'],
  ])('of a branch %s is refused', async (_what, isOwn, reason) => {
    const { startRun, declare, emulator, project } = await startBranchDoor(door);
    const [main] = emulator.branches(project.id).filter((branch) => branch.default);
    const adopting = { ...first, name: main?.name ?? '', adopt: true };
    const state = await runUp(await startRun(), declare(adopting));
    const restoreFrom = isOwn && { restoreFrom: { branchId: state.id } };
    const changed = { ...second, name: adopting.name, ...restoreFrom };
    const { message } = await callErrorOf(runPreview(await startRun(), declare(changed), state));
    expect(message).toContain(reason);
  });
});
