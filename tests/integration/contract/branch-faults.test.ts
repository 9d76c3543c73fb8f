import { describe, expect, it } from 'vitest';
import { silenceDiagnostics } from '../../support/diagnostics';
import { callErrorOf, failedState, runPreview, runRefresh, runUp } from '../../support/door';
import { startBranchDoor } from '../../support/start-branch-door';
import { doors } from '../../support/start-door';
import { until } from '../../support/virtual-world';

silenceDiagnostics();

const operations = { method: 'GET', path: '/projects/:project/operations' };
const deletion = { method: 'DELETE', path: '/projects/:project/branches/:branch' };
const toBranch = { method: 'PATCH', path: '/projects/:project/branches/:branch' };

describe.each(doors)('a Branch by %s', (_name, door) => {
  it.each([
    ['preview/pr-12', 'preview/PR-12'],
    ['2026-01-31', '2026-01-31T00:00:00Z'],
  ])('is renamed from %s to %s', async (before, after) => {
    const { startRun, declare, held } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare({ name: before }));
    await runUp(await startRun(), declare({ name: after }), state);
    expect(held()).toMatchObject([{ name: after }]);
  });

  it('is not replaced for another spelling of its LSN', async () => {
    const { startRun, declare } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare({ parentLsn: '0/1E88DF8' }));
    const same = declare({ parentLsn: '00/01e88df8' });
    expect(await runPreview(await startRun(), same, state)).toMatchObject({ hasChanges: false });
    for (const parentLsn of ['0/1E88DF80', '10/1E88DF8', '1/E88DF8']) {
      const { message } = await callErrorOf(runPreview(await startRun(), declare({ parentLsn }), state));
      expect(message).toMatch(/: a change of parentLsn\./);
    }
  });

  it('is replaced by another resource option only with allowDataLoss', async () => {
    const { startRun, declare } = await startBranchDoor(door);
    const { declared } = await runUp(await startRun(), declare());
    const run = await startRun();
    expect((await run.check(declared, declare())).failures).toEqual([]);
    // As for replaceWith, replaceOnChanges and another provider: the engine does not ask for a diff.
    expect((await run.check(undefined, declare())).failures).toMatchObject([
      { reason: expect.stringContaining('allowDataLoss') },
    ]);
    expect((await run.check(undefined, declare({ allowDataLoss: true }))).failures).toEqual([]);
  });

  it('is waited for by the next up when its operations were unreadable', async () => {
    const { startRun, declare, held, emulator } = await startBranchDoor(door);
    const hanging = emulator.inject({
      match: { action: 'create_branch' },
      effect: { kind: 'operation-hangs' },
    });
    await failedState(runUp(await startRun(), declare({}, 0.3)));
    const unreadable = emulator.inject({
      match: operations,
      effect: { kind: 'status', status: 503 },
      times: 'always',
    });
    const state = await failedState(runUp(await startRun(), declare({}, 0.5)));
    unreadable.clear();
    expect(held()).toMatchObject([{ id: state.id, current_state: 'init' }]);
    const { state: refreshed } = await runRefresh(await startRun(), state);
    expect(await runPreview(await startRun(), declare(), refreshed ?? state)).toMatchObject({
      hasChanges: true,
    });
    const failure = await callErrorOf(runUp(await startRun(), declare({}, 0.5), state));
    expect(failure.message).toContain('still waiting for create_branch');
    hanging.clear();
    const { outputs } = await runUp(await startRun(), declare(), state);
    expect(outputs).not.toHaveProperty('unsettledOperations');
    expect(outputs).not.toHaveProperty('__unapplied');
    expect(held()).toMatchObject([{ current_state: 'ready' }]);
  });

  it('is unprotected by the next up when dropping protected has failed', async () => {
    const { startRun, declare, held, emulator } = await startBranchDoor(door);
    const hanging = emulator.inject({
      match: { action: 'create_branch' },
      effect: { kind: 'operation-hangs' },
    });
    const created = await failedState(runUp(await startRun(), declare({ protected: true }, 0.3)));
    const state = await failedState(runUp(await startRun(), declare({}, 0.3), created));
    hanging.clear();
    await runUp(await startRun(), declare(), state);
    expect(held()).toMatchObject([{ protected: false }]);
  });

  it('is unprotected by the create that adopts it', async () => {
    const { emulator, startRun, declare, held } = await startBranchDoor(door);
    emulator.inject({ match: toBranch, effect: { kind: 'status', status: 422 } }); // The last step, so that it has the unfinished name still.
    await callErrorOf(runUp(await startRun(), declare({ name: 'pr', protected: true }))); // Killed: nothing is in state.
    const { id } = await runUp(await startRun(), declare({ name: 'pr' }));
    expect(held()).toMatchObject([{ id, name: 'pr', protected: false }]);
  });

  it('is not reported as unprotected when the service kept the protection', async () => {
    const { startRun, declare, held, emulator, project } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare({ protected: true }));
    emulator.inject({ match: toBranch, effect: { kind: 'slow', delayMs: 200 } });
    const update = runUp(await startRun(), declare(), state);
    await until(() => held()[0]?.protected === false);
    emulator.changeBranch(project.id, state.id, { protected: true });
    expect((await callErrorOf(update)).message).toContain('a different protected');
  });

  it.each([0, 300])('is one branch for two creates at once and lists late by %d ms', async (lateListsMs) => {
    const { startRun, declare, held } = await startBranchDoor(door, { lateListsMs, operationMs: 100 });
    const outcomes = await Promise.allSettled([
      runUp(await startRun(), declare()),
      runUp(await startRun(), declare()),
    ]);
    expect(outcomes.map(({ status }) => status)).toContain('fulfilled');
    for (const outcome of outcomes)
      if (outcome.status === 'fulfilled') expect(held()).toMatchObject([{ id: outcome.value.id }]);
      // The service refuses the name; once the branch of the other has its final name, it could be another stack's.
      else expect(outcome.reason.message).toMatch(/already has a branch of that name|branch already exists/);
  });

  it('shows no secret name in any failure', async () => {
    const { startRun, declare, emulator, project } = await startBranchDoor(door);
    const secretly = (args: object, seconds?: number) => ({
      ...declare({ name: 'hunter22', ...args }, seconds),
      secrets: ['name'],
    });
    const other = emulator.createBranch(project.id, { name: 'hunter22' });
    const texts: string[] = [];
    const note = async (work: Promise<unknown>) => texts.push((await callErrorOf(work)).message);
    await note(runUp(await startRun(), secretly({})));
    await note(runUp(await startRun(), secretly({ adopt: true, parentTimestamp: '2026-01-31T08:00:00Z' })));
    emulator.changeBranch(project.id, other.id, { name: 'other' });
    const refused = { kind: 'status', status: 409, message: 'branch hunter22 exists' } as const;
    const fault = emulator.inject({ match: toBranch, effect: refused, times: 'always' });
    const state = await failedState(runUp(await startRun(), secretly({})));
    await note(runUp(await startRun(), secretly({}), state));
    fault.clear();
    const done = await runUp(await startRun(), secretly({}), state);
    emulator.inject({
      match: deletion,
      effect: { ...refused, status: 422 },
    });
    await note((await startRun()).delete(done));
    await note(runPreview(await startRun(), secretly({ parentLsn: '0/1' }), done));
    expect(texts).toHaveLength(5);
    for (const text of texts) expect(text).not.toContain('hunter22');
  });

  it('is kept in state when its rename is refused, and gets its name later', async () => {
    const { startRun, declare, held, emulator } = await startBranchDoor(door);
    const fault = emulator.inject({
      match: toBranch,
      effect: { kind: 'status', status: 409 },
      times: 'always',
    });
    const state = await failedState(runUp(await startRun(), declare({ name: 'pr-12' })));
    fault.clear();
    const refreshed = await runRefresh(await startRun(), state);
    await runUp(await startRun(), declare({ name: 'pr-12' }), refreshed.state);
    expect(held()).toMatchObject([{ id: state.id, name: 'pr-12' }]);
  });

  it.each([
    ['lost-after-work', { kind: 'lost-after-work' }],
    ['proxy 404', { kind: 'proxy-page', status: 404 }],
    ['proxy 200', { kind: 'proxy-page', status: 200 }],
    ['cut off', { kind: 'cut-off' }],
    ['503 after', { kind: 'status', status: 503, when: 'after-work' }],
  ] as const)('deletes the branch or says so: %s', async (_case, effect) => {
    const { startRun, declare, held, emulator } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare());
    emulator.inject({ match: deletion, effect });
    const outcome = await (await startRun()).delete(state).then(
      () => 'deleted',
      () => 'failed',
    );
    expect([outcome, held().length]).toEqual(held().length === 0 ? ['deleted', 0] : ['failed', 1]);
  });
});
