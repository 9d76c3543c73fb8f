import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ControlApi } from '../../provider/src/control-api/control-api';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import type { UnsettledError } from '../../provider/src/lifecycle/resource-errors';
import type { Properties } from '../../provider/src/lifecycle/resource-identity';
import { errorOf } from '../support/failure';
import { startEngineRuns } from '../support/start-engine-run';

it('a name is unique among the roles of a branch, and free on another', async () => {
  const { startRun, project, branch } = await startEngineRuns();
  const projectId = project.id;
  const run = startRun();
  const other = await run.create('branch', 'b', { projectId });
  await run.create('role', 'one', { projectId, branchId: branch.id, name: 'app' });
  await run.create('role', 'two', { projectId, branchId: other.id, name: 'app' });
  const again = run.create('role', 'three', { projectId, branchId: branch.id, name: 'app' });
  expect((await errorOf(again)).message).toContain('is already used by another role of this program');
});

it('a role that another resource takes over stays', async () => {
  const { startRun, project, branch, request } = await startEngineRuns();
  const declared = { projectId: project.id, branchId: branch.id, name: 'app' };
  const old = await startRun().create('role', 'old', declared);
  const run = startRun();
  const renamed = await run.create('role', 'new', { ...declared, adopt: true });
  expect(renamed.outputs.password).toBe(old.outputs.password);
  await run.delete(old);
  const path = `/projects/${project.id}/branches/${branch.id}/roles/app`;
  expect(await request('GET', path)).toMatchObject({ status: 200 });
});

/** A branch of its own with what is on it, and the same program with the branch reset. */
async function startReset(kind: 'role' | 'database', given: object) {
  const ground = await startEngineRuns();
  const { startRun, project, emulator } = ground;
  const first = startRun();
  const branch = await first.create('branch', 'b', {
    projectId: project.id,
    resetTriggers: { commit: 'a' },
  });
  const declared = { projectId: project.id, branchId: branch.id, adopt: true, ...given };
  return {
    ...ground,
    branch,
    declared,
    made: await first.create(kind, 'r', declared),
    reset: { projectId: project.id, resetTriggers: { commit: 'b' }, allowDataLoss: true },
    api: new ControlApi({ baseUrl: emulator.url, apiKey: emulator.apiKey }),
  };
}

it.each(['app', 'app_owner'])('role %s is there again after a reset of its branch', async (name) => {
  const { startRun, branch, declared, made, reset, api } = await startReset('role', { name });
  const run = startRun();
  await run.update(branch, reset);
  const { outputs } = await run.preview(made, declared);
  expect(outputs).toMatchObject({ password: unknownValue, createdAt: unknownValue });
  const after = await run.update(made, declared);
  expect(run.shown.join('')).toContain('the reset of its branch replaces the roles');
  const at = { projectId: declared.projectId, branchId: branch.id, name };
  expect(after.outputs.password).toBe(await api.revealPassword(at));
  expect(await startRun().preview(after, declared)).toMatchObject({ hasChanges: false });
});

it.each(['shop', 'app'])('database %s is there again after a reset of its branch', async (name) => {
  const { startRun, project, emulator, branch, declared, made, reset, api } = await startReset('database', {
    name,
    ownerName: 'app_owner',
  });
  const [main] = emulator.branches(project.id).filter((each) => each.default);
  const parent = { projectId: project.id, branchId: main?.id ?? '' };
  await startRun().create('role', 'other', { ...parent, name: 'other' });
  await startRun().create('database', 'd', { ...parent, name: 'app', ownerName: 'other', adopt: true });
  const run = startRun();
  await run.update(branch, reset);
  const after = await run.update(made, declared);
  expect(run.shown.join('')).toContain('`pulumi up` creates this one again, empty, unless');
  const at = { projectId: project.id, branchId: branch.id, name };
  expect(await api.getNamed('database', at)).toMatchObject({ owner_name: 'app_owner' });
  expect(await startRun().preview(after, declared)).toMatchObject({ hasChanges: false });
});

it('a role whose create after a reset fails is created by the next up', async () => {
  const { startRun, emulator, branch, declared, made, reset } = await startReset('role', { name: 'app' });
  const run = startRun();
  await run.update(branch, reset);
  emulator.inject({
    match: { method: 'POST', path: '/projects/:project/branches/:branch/roles' },
    effect: { kind: 'status', status: 422 },
  });
  const error = await errorOf(run.update(made, declared));
  const failed = { ...made, outputs: { ...(error as UnsettledError).outputs } };
  expect(failed.outputs).not.toHaveProperty('password');
  const next = startRun();
  expect(await next.preview(failed, declared)).toMatchObject({ hasChanges: true });
  expect(next.shown).toEqual([
    'its branch no longer has it: `pulumi up` creates this one again, with a new password',
  ]);
  const after = await startRun().update(failed, declared);
  expect(after.outputs.password).toEqual(expect.any(String));
});

it('a preview after a killed reset says that the database will be empty', async () => {
  const { startRun, branch, declared, made, reset, api } = await startReset('database', {
    name: 'shop',
    ownerName: 'app_owner',
  });
  const { parentId = '' } = branch.outputs as { parentId?: string };
  await api.restoreBranch(declared.projectId, branch.id, { source_branch_id: parentId });
  const run = startRun();
  await run.preview(branch, reset);
  expect(await run.preview(made, declared)).toMatchObject({ hasChanges: true });
  expect(run.shown.join()).toContain('`pulumi up` creates this one again, empty');
  const up = startRun();
  await up.update(branch, reset);
  const after = await up.update(made, declared);
  expect(after.outputs.createdAt).not.toBe(made.outputs.createdAt);
  await run.preview(branch, reset); // As if the state had missed that, too.
  expect(await run.preview(after, declared)).toMatchObject({ hasChanges: false });
});

it('a refresh reads the password of another role of that name', async () => {
  const { startRun, branch, made, reset, api } = await startReset('role', { name: 'app' });
  await startRun().update(branch, reset);
  const at = { projectId: reset.projectId, branchId: branch.id };
  await api.createNamed('role', at, { name: 'app' });
  const found = await startRun().read(made);
  expect(found?.outputs).toMatchObject({ password: await api.revealPassword({ ...at, name: 'app' }) });
});

it('a refresh reads the password that an import from a file leaves out', async () => {
  const { startRun, made } = await startReset('role', { name: 'app' });
  const { password, ...outputs } = made.outputs;
  const found = await startRun().read({ ...made, outputs });
  expect(found?.outputs).toMatchObject({ password });
});

it('a role that does not depend on the branch waits for its reset', async () => {
  const { startRun, branch, declared, made, reset } = await startReset('role', { name: 'app' });
  const run = startRun();
  await run.preview(branch, reset);
  const [after] = await Promise.all([run.update(made, declared), run.update(branch, reset)]);
  expect(after.outputs.createdAt).not.toBe(made.outputs.createdAt);
});

it('a role that does not depend on the branch waits for a killed reset', async () => {
  const { startRun, emulator, branch, declared, made, reset, api } = await startReset('role', {
    name: 'app',
  });
  const { projectId, branchId } = declared;
  const { parentId = '' } = branch.outputs as { parentId?: string };
  const match = { action: 'create_branch' };
  const hanging = emulator.inject({ match, effect: { kind: 'operation-hangs' } });
  await api.restoreBranch(projectId, branchId, { source_branch_id: parentId });
  const run = startRun();
  await run.preview(branch, reset);
  const released = sleep(1_000).then(() => hanging.clear());
  const [after] = await Promise.all([run.update(made, declared), run.update(branch, reset), released]);
  expect(after.outputs.password).toBe(await api.revealPassword({ projectId, branchId, name: 'app' }));
});

it('a reset is refused if the engine asks about a role before it', async () => {
  const { startRun, branch, declared, made, reset } = await startReset('role', { name: 'app' });
  const run = startRun();
  await run.preview(made, declared);
  const { message } = await errorOf(run.preview(branch, reset));
  expect(message).toMatch(/replaces what urn:\S+::r stands for, which does not wait for it/);
  await startRun().update(branch, reset); // Killed: its state is lost.
  const next = startRun();
  await next.preview(made, declared);
  expect((await errorOf(next.preview(branch, reset))).message).toContain('which does not wait for it');
});

it('a database is replaced with its branch only with allowDataLoss: true', async () => {
  const database = { name: 'shop', ownerName: 'app_owner' };
  const { startRun, declared, made, reset } = await startReset('database', database);
  const run = startRun();
  await run.check('branch', 'b', reset);
  const isUnknown = { branchId: unknownValue };
  expect((await errorOf(run.replaceEarly(made, isUnknown))).message).toContain('in an earlier `pulumi up`');
  await run.replaceEarly(made, { ...isUnknown, allowDataLoss: true });
  expect(run.shown.join('')).toContain('with its data: its branch is replaced');
  const removed = run.check('database', 'r', { ...declared, ...isUnknown });
  expect((await errorOf(removed)).message).toContain('deletes the database with its data: its branch is');
});

it('a role that owns a database goes with a branch replaced by force', async () => {
  const { startRun, branch, declared, made } = await startReset('role', { name: 'app_owner' });
  expect((await errorOf(startRun().delete(made))).message).toMatch(
    /owns the database app: .* A role that owns databases stays: .* `deletedWith` names the branch. .* first apply retainOnDelete: true/,
  );
  const run = startRun();
  await run.check('branch', 'b', { projectId: declared.projectId });
  await run.replaceEarly(made, { branchId: unknownValue });
  await run.delete(made);
  await run.delete(branch);
});

it('a refused delete of a database fails, also if its branch is replaced', async () => {
  const { startRun, emulator, branch, declared, made } = await startReset('database', {
    name: 'shop',
    ownerName: 'app_owner',
    allowDataLoss: true,
  });
  const other = await startRun().create('branch', 'other', { projectId: declared.projectId });
  const run = startRun();
  await run.preview(branch, { projectId: declared.projectId, parentId: other.id, allowDataLoss: true });
  await run.replaceEarly(made, { branchId: unknownValue });
  emulator.inject({ match: { method: 'DELETE' }, effect: { kind: 'status', status: 422 } });
  expect((await errorOf(run.delete(made))).message).toContain('422');
});

const creating = { method: 'POST', path: '/projects/:p/branches/:b/roles' };

it.each([
  ['its lookups fail', 'GET', 500],
  ['the project is locked', 'POST', 423],
])('a role whose create is lost is resumed, also if %s', async (_what, method, status) => {
  const { startRun, emulator, project, branch } = await startEngineRuns();
  const declared = { projectId: project.id, branchId: branch.id, name: 'app' };
  emulator.inject({ match: creating, effect: { kind: 'lost-before-work' } });
  const match = { ...creating, method };
  // Only the list before the request has a response.
  if (method === 'GET') emulator.inject({ match, effect: { kind: 'slow', delayMs: 1 } });
  const away = emulator.inject({ match, effect: { kind: 'status', status }, times: 'always' });
  const { id, outputs } = (await errorOf(startRun().create('role', 'r', declared))) as UnsettledError;
  away.clear();
  const left = { kind: 'role', name: 'r', id, inputs: declared, outputs: outputs as Properties } as const;
  expect((await startRun().update(left, declared)).outputs.password).toMatch(/^\w+$/);
});

it('a role that is replaced by force is found after a lost response', async () => {
  const { startRun, emulator, project, branch } = await startEngineRuns();
  const declared = { projectId: project.id, branchId: branch.id, name: 'app', adopt: true };
  const role = await startRun().create('role', 'r', declared);
  const run = startRun();
  await run.check('role', 'r', declared);
  await run.delete(role);
  emulator.inject({ match: creating, effect: { kind: 'lost-after-work' } });
  expect((await run.create('role', 'r', declared)).id).toBe(role.id);
});

it('a delete fails with its apply_config: Postgres still has the role', async () => {
  const { startRun, emulator, project, branch } = await startEngineRuns();
  const declared = { projectId: project.id, branchId: branch.id, name: 'app' };
  const role = await startRun().create('role', 'r', declared);
  emulator.inject({ match: { action: 'apply_config' }, effect: { kind: 'operation-fails' } });
  expect((await errorOf(startRun().delete(role))).message).toMatch(/operation apply_config \S+ failed/);
});
