import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import { UnsettledError } from '../../provider/src/lifecycle/resource-errors';
import type { Properties } from '../../provider/src/lifecycle/resource-identity';
import { errorOf } from '../support/failure';
import { startEngineRuns } from '../support/start-engine-run';
import { startBranchProgram } from '../support/start-program';

const before = { resetTriggers: { commit: 'a' } };
const after = { resetTriggers: { commit: 'b' }, allowDataLoss: true };

/** A branch, and an endpoint on it that allows no restart. */
async function startGuarded() {
  const ground = await startEngineRuns();
  const projectId = ground.project.id;
  const branch = await ground.startRun().create('branch', 'b', { projectId, ...before });
  const on = { projectId, branchId: branch.id, type: 'read_write', allowRestart: false };
  const endpoint = await ground.startRun().create('endpoint', 'e', on);
  const run = ground.startRun();
  const reset = { projectId, ...after };
  return { ...ground, run, branch, endpoint, on, reset };
}

describe('the reset of a branch', () => {
  it('is refused if an endpoint on it is active and allows no restart', async () => {
    const { run, branch, endpoint, on, reset } = await startGuarded();
    await run.preview(branch, reset);
    const { message } = await errorOf(run.preview(endpoint, on));
    expect(message).toContain(
      `the reset of branch ${branch.id} drops the connections of endpoint ${endpoint.id} (e)`,
    );
  });

  it('is refused also if the engine asks about the endpoint first', async () => {
    const { run, branch, endpoint, on, reset } = await startGuarded();
    await run.preview(endpoint, on);
    expect((await errorOf(run.preview(branch, reset))).message).toContain('allowRestart is false');
    // A refused reset drops no connections.
    expect(await run.preview(endpoint, on)).toMatchObject({ hasChanges: false });
  });

  it('is announced without the name of its source if that may be a secret', async () => {
    const { run, startRun, branch, reset, emulator, project } = await startGuarded();
    // The engine need not ask about the source, and so not say that its name is a secret.
    const { id } = emulator.createBranch(project.id, { name: 'hidden-name' });
    await run.preview(branch, { ...reset, restoreFrom: { branchId: id } });
    expect(run.shown.join()).toContain(`to the present data of ${id}: a`);
    const next = startRun();
    const main = { projectId: project.id, name: 'main', adopt: true };
    await next.create('branch', 'main', main, { secretNames: ['name'] });
    await next.preview(branch, reset);
    expect(next.shown.join()).toMatch(/to the present data of \S+ \("\*\*\*"\): a/);
  });

  it('is refused if another one is to use the name for its data', async () => {
    const { run, startRun, branch, project } = await startGuarded();
    const projectId = project.id;
    const other = await startRun().create('branch', 'other', { projectId, ...before });
    const keeping = { projectId, resetTriggers: { commit: 'b' }, preserveUnderName: 'kept' };
    await run.preview(branch, keeping);
    await run.preview(branch, keeping);
    const { message } = await errorOf(run.preview(other, keeping));
    expect(message).toMatch(/preserveUnderName is "kept", and urn:\S+::b is to use that name as well/);
    const next = startRun();
    await next.check('branch', 'new', { projectId, name: 'kept' });
    expect((await errorOf(next.preview(other, keeping))).message).toContain('::new is to use that name');
  });

  it('is refused without the expiry of its source if that is unknown', async () => {
    const { run, startRun, branch, reset, project } = await startGuarded();
    const source = await startRun().create('branch', 'source', { projectId: project.id });
    await run.preview(source, { projectId: project.id, expiresAt: unknownValue });
    const restoreFrom = { branchId: source.id };
    const { message } = await errorOf(run.preview(branch, { ...reset, restoreFrom }));
    expect(message).toContain('expires at a time that is not known yet');
  });

  it('is not announced if others have deleted the branch', async () => {
    const { run, startRun, branch, reset, request, project } = await startGuarded();
    const on = { projectId: project.id, branchId: branch.id, name: 'own' };
    const role = await startRun().create('role', 'r', on);
    await request('DELETE', `/projects/${project.id}/branches/${branch.id}`);
    await sleep(1_000);
    // An interrupted replacement may have deleted it, and then the engine creates it again.
    await run.preview(branch, reset);
    expect(await run.preview(role, on)).toMatchObject({ hasChanges: false });
    expect(run.shown).toEqual([expect.stringMatching(/^branch \S+ no longer exists: .*--refresh/)]);
  });

  it('is not refused while the compute is idle, or once it is done', async () => {
    const { run, startRun, branch, endpoint, on, reset, request, project } = await startGuarded();
    // With --skip-preview, the engine asks about the endpoint only then.
    await run.update(branch, reset);
    expect(await run.preview(endpoint, on)).toMatchObject({ hasChanges: false });
    await request('POST', `/projects/${project.id}/endpoints/${endpoint.id}/suspend`);
    await sleep(1_000);
    const next = startRun();
    await next.preview(branch, { ...reset, resetTriggers: { commit: 'c' } });
    expect(await next.preview(endpoint, on)).toMatchObject({ hasChanges: false });
  });

  it('comes before the delete of a role on it, which it may bring back', async () => {
    const { startRun, project, request } = await startEngineRuns();
    const projectId = project.id;
    const branch = await startRun().create('branch', 'b', { projectId, ...before });
    const role = await startRun().create('role', 'r', { projectId, branchId: branch.id, name: 'app' });
    const rolesOf = (id: unknown) => `/projects/${projectId}/branches/${id}/roles`;
    await request('POST', rolesOf(branch.outputs.parentId), { role: { name: 'app' } });
    const run = startRun();
    const reset = { projectId, ...after };
    await run.preview(branch, reset);
    await run.check('role', 'r', { projectId, branchId: branch.id, name: 'other' }); // It replaces it.
    await Promise.all([run.delete(role), run.update(branch, reset)]);
    expect(await request('GET', `${rolesOf(branch.id)}/app`)).toMatchObject({ status: 404 });
  });

  it('that is skipped holds up no delete of a role that was removed', async () => {
    const { startRun, project } = await startEngineRuns();
    const projectId = project.id;
    const branch = await startRun().create('branch', 'b', { projectId, ...before });
    const role = await startRun().create('role', 'r', { projectId, branchId: branch.id, name: 'app' });
    const run = startRun();
    // With --continue-on-error, the engine then skips the update if another resource has failed.
    await run.preview(branch, { projectId, ...after });
    await run.delete(role);
    expect(await startRun().read(role)).toBeUndefined();
  });

  it('by another program leaves no drift in a child', async () => {
    const { startRun, emulator, project, branch, request } = await startGuarded();
    const given = { projectId: project.id, parentId: branch.id, allowDataLoss: true };
    const child = await startRun().create('branch', 'child', given);
    const restore = { source_branch_id: branch.outputs.parentId, preserve_under_name: 'kept' };
    await request('POST', `/projects/${project.id}/branches/${branch.id}/restore`, restore);
    await sleep(1_000);
    expect(emulator.branches(project.id).find(({ id }) => id === child.id)?.parent_id).not.toBe(branch.id);
    const found = await startRun().read(child);
    expect(await startRun().preview({ ...child, ...found }, given)).toMatchObject({ hasChanges: false });
  });

  it('is refused before its request by the allowRestart of the stack', async () => {
    const { startRun, branch, endpoint, reset } = await startGuarded();
    // In an update, the engine asks about the endpoint only after the reset.
    const { message } = await errorOf(startRun({ allowRestart: 'false' }).update(branch, reset));
    expect(message).toContain(`drops the connections of endpoint ${endpoint.id}. Nothing was reset`);
  });

  it('is found by the next run if what follows it fails', async () => {
    const { startRun, emulator, project, branch, endpoint, reset, request } = await startGuarded();
    const on = { projectId: project.id, branchId: branch.id, name: 'own' };
    const role = await startRun().create('role', 'r', on);
    emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } });
    const failed = await errorOf(startRun().update(branch, reset));
    expect(failed).toBeInstanceOf(UnsettledError);
    await request('POST', `/projects/${project.id}/endpoints/${endpoint.id}/start`);
    const next = startRun({ allowRestart: 'false' });
    const left = { ...branch, outputs: (failed as UnsettledError).outputs as Properties };
    expect(await next.preview(left, reset)).toMatchObject({ changes: ['resetTriggers'], deletesData: false });
    await next.update(left, reset);
    expect(await next.preview(role, on)).toMatchObject({ hasChanges: true });
    const copies = emulator.operations(project.id).filter(({ action }) => action === 'create_branch');
    expect(copies.filter(({ branch_id }) => branch_id === branch.id)).toHaveLength(2);
  });

  it('is refused without a request if others have protected the branch since', async () => {
    const { run, startRun, branch, reset, emulator } = await startGuarded();
    const resets = () => emulator.requests().filter(({ path }) => path.endsWith('/restore'));
    await run.preview(branch, reset);
    emulator.changeBranch(reset.projectId, branch.id, { protected: true });
    const { message } = await errorOf(run.update(branch, reset));
    expect(message).toMatch(
      /^a reset of branch \S+: it is protected. Set protected: false on it.* --refresh/,
    );
    expect(resets()).toEqual([]);
    const refreshed = { ...branch, ...(await startRun().read(branch)) };
    await startRun().update(refreshed, { ...reset, protected: false });
    expect(resets()).toHaveLength(1);
  });

  it.each([
    ['parent', { preserveUnderName: 'before' }],
    ['child', { allowDataLoss: true }],
  ])('is refused while the program has children of it: %s first', async (first, loss) => {
    const { startRun, project } = await startEngineRuns();
    const projectId = project.id;
    const branch = await startRun().create('branch', 'b', { projectId, ...before });
    const born = { projectId, parentId: branch.id };
    const child = await startRun().create('branch', 'c', born);
    const run = startRun();
    const reset = { projectId, resetTriggers: { commit: 'b' }, ...loss };
    const calls = [() => run.preview(branch, reset), () => run.preview(child, born)];
    if (first === 'child') calls.reverse();
    await calls[0]?.();
    const { message } = await errorOf(Promise.resolve(calls[1]?.()));
    expect(message).toContain(`would move its child ${child.id} (c), which this program declares`);
  });
});

it('what is on a branch waits for no reset if replaceOnChanges replaces it', async () => {
  const { one, startRun, projectId } = await startBranchProgram();
  const role = await startRun().create('role', 'r', { projectId, branchId: one.id, name: 'app' });
  const run = startRun();
  const inputs = { ...one.inputs, resetTriggers: { commit: 'b' }, allowDataLoss: true };
  await run.preview(one, inputs);
  await run.check('branch', 'one', inputs);
  await run.replaceEarly(role, { branchId: unknownValue });
  await run.delete(role);
  await run.delete(one);
});

it('a role whose create was lost after a reset is created later', async () => {
  const { startRun, emulator, project } = await startEngineRuns();
  const projectId = project.id;
  const branch = await startRun().create('branch', 'b', { projectId, ...before });
  const reset = await startRun().update(branch, { projectId, ...after });
  const match = { method: 'POST', path: '/projects/:project/branches/:branch/roles' };
  const fault = emulator.inject({ match, effect: { kind: 'lost-before-work' }, times: 'always' });
  const inputs = { projectId, branchId: branch.id, name: 'app' };
  const { id, outputs } = (await errorOf(startRun().create('role', 'r', inputs))) as UnsettledError;
  fault.clear();
  const run = startRun();
  await run.preview(reset, reset.inputs);
  const lost = { kind: 'role', name: 'r', id, inputs, outputs: { ...outputs } } as const;
  expect((await run.update(lost, inputs)).outputs.password).toEqual(expect.any(String));
  expect(run.shown.join('')).toContain('its branch no longer has it');
});
