import { describe, expect, it } from 'vitest';
import { errorOf } from '../support/failure';
import { startEngineRuns } from '../support/start-engine-run';

const lateLists = {
  match: { method: 'GET', path: '/projects/:p/branches' },
  effect: { kind: 'late-read', lateMs: 100 },
  times: 'always',
} as const;

/** A protected branch and an endpoint on it, both in state. */
async function startProtected(options: Parameters<typeof startEngineRuns>[0] = {}) {
  const ground = await startEngineRuns(options);
  const projectId = ground.project.id;
  const run = ground.startRun();
  const branch = await run.create('branch', 'one', { projectId, protected: true });
  const declared = { projectId, branchId: branch.id, type: 'read_write' };
  const endpoint = await run.create('endpoint', 'e', declared);
  const ids = () => ground.emulator.endpoints(projectId).map(({ id }) => id);
  const deletes = () => ground.emulator.requests().filter(({ method }) => method === 'DELETE');
  return {
    ...ground,
    projectId,
    branch,
    endpoint,
    ids,
    deletes,
    replica: { ...declared, type: 'read_only' },
  };
}

describe('an endpoint on a protected branch', () => {
  it('is not deleted, and no request asks for it', async () => {
    const { startRun, branch, endpoint, ids, deletes } = await startProtected();
    const { message } = await errorOf(startRun().delete(endpoint));
    expect(message).toContain(`delete of endpoint ${endpoint.id}: branch ${branch.id} is protected`);
    expect(ids()).toContain(endpoint.id);
    expect(deletes()).toEqual([]);
  });

  it('is deleted by the update that unprotects the branch, despite read lag', async () => {
    const { startRun, branch, endpoint, ids, projectId, emulator } = await startProtected();
    emulator.inject(lateLists);
    const run = startRun();
    await run.update(branch, { projectId, protected: false });
    await run.delete(endpoint);
    expect(ids()).not.toContain(endpoint.id);
  });

  it('is deleted at once if others have unprotected the branch', async () => {
    const { startRun, branch, endpoint, replica, projectId, emulator } = await startProtected({
      readLagMs: 10_000,
    });
    emulator.changeBranch(projectId, branch.id, { protected: false });
    const run = startRun();
    await run.preview(branch, { projectId, protected: true });
    await run.create('endpoint', 'replica', replica);
    const startedAt = performance.now();
    await run.delete(endpoint);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('is replaced only if the same update unprotects the branch', async () => {
    const { startRun, branch, endpoint, replica, projectId, emulator } = await startProtected();
    const kept = startRun();
    await kept.preview(branch, { projectId, protected: true });
    const { message } = await errorOf(kept.preview(endpoint, replica));
    expect(message).toContain(`delete of endpoint ${endpoint.id}: branch ${branch.id} is protected`);
    const freed = startRun();
    await freed.preview(branch, { projectId });
    expect((await freed.preview(endpoint, replica)).replaces).toEqual(['type']);
    // An interrupted replacement has deleted it already.
    emulator.deleteEndpoint(endpoint.id);
    expect((await startRun().preview(endpoint, replica)).replaces).toEqual(['type']);
  });

  it('that the update protects stays, despite read lag', async () => {
    const { startRun, branch, endpoint, projectId, emulator } = await startProtected();
    const before = await startRun().update(branch, { projectId });
    emulator.inject(lateLists);
    const run = startRun();
    await run.update(before, { projectId, protected: true });
    const { message } = await errorOf(run.delete(endpoint));
    expect(message).toContain(`delete of endpoint ${endpoint.id}: branch ${branch.id} is protected`);
  });
});
