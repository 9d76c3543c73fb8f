import { describe, expect, it } from 'vitest';
import { silenceDiagnostics } from '../../support/diagnostics';
import { callErrorOf, failedState, runPreview, runRefresh, runUp } from '../../support/door';
import { startBranchDoor } from '../../support/start-branch-door';
import { doors } from '../../support/start-door';
import { until } from '../../support/virtual-world';

silenceDiagnostics();

const toBranch = { method: 'PATCH', path: '/projects/:project/branches/:branch' };
const deletion = { method: 'DELETE', path: '/projects/:project/branches/:branch' };

describe.each(doors)('a Branch under faults by %s', (_name, door) => {
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

  it('takes over the older of two when a foreign branch of its name appears during the create', async () => {
    const { startRun, declare, held, emulator, project } = await startBranchDoor(door, { operationMs: 300 });
    const created = runUp(await startRun(), declare({ name: 'pr-12' }));
    await until(() => held().length === 1);
    const foreign = emulator.createBranch(project.id, { name: 'pr-12' });
    await created.catch(() => undefined);
    expect(held().map(({ id }) => id)).toContain(foreign.id);
  });

  it('is created by one of two processes that give it a name; the other one fails or has the same', async () => {
    const { startRun, declare, held } = await startBranchDoor(door, { operationMs: 100, lateListsMs: 150 });
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map(async () => runUp(await startRun(), declare({ name: 'pr-12' }))),
    );
    const ids = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.id] : []));
    expect(held()).toHaveLength(1);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids)).toEqual(new Set(held().map(({ id }) => id)));
  });
});
