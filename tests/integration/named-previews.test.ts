import { expect, it } from 'vitest';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import { errorOf } from '../support/failure';
import { startEngineRuns } from '../support/start-engine-run';

it('a preview refuses a role that the branch has, unless with adopt', async () => {
  const { startRun, project, emulator } = await startEngineRuns();
  const [main] = emulator.branches(project.id).filter((each) => each.default);
  const declared = { projectId: project.id, branchId: main?.id ?? '', name: 'app_owner' };
  const refused = startRun().check('role', 'r', declared);
  expect((await errorOf(refused)).message).toContain('To take it over, set adopt: true');
  const run = startRun();
  await run.check('role', 'r', { ...declared, adopt: true });
  expect(run.shown.join('')).toMatch(
    /adopt takes over role .*\. With --replace or taint, `pulumi up` first deletes that role, gives it a new password, drops connections,/,
  );
});

it.each([
  ['role', 'app_owner', {}],
  ['database', 'app', { ownerName: 'app_owner' }],
] as const)('a preview finds %s "%s" at the parent of a new branch', async (kind, name, given) => {
  const { startRun, project, emulator } = await startEngineRuns();
  const projectId = project.id;
  const [main] = emulator.branches(projectId).filter((each) => each.default);
  const declared = { projectId, branchId: unknownValue, name, ...given };
  const run = startRun();
  await run.check('branch', 'b', { projectId });
  const { message } = await errorOf(run.check(kind, 'r', declared));
  expect(message).toContain(`a ${kind} that the branch starts with, as branch ${main?.id} has it`);
  await run.check(kind, 'r', { ...declared, adopt: true });
  expect(run.shown.join('')).toMatch(/adopt takes over .* starts with, .* and changes nothing on it$/);
});

it('a preview says that a new role drops connections', async () => {
  const { startRun, project, branch } = await startEngineRuns();
  const projectId = project.id;
  const shown = async (branchId: unknown, name: string) => {
    const run = startRun();
    await run.check('branch', 'b', { projectId });
    await run.check('role', 'r', { projectId, branchId, name });
    return run.shown.join();
  };
  const drops = 'the create drops the connections of an active compute of its branch';
  expect(await shown(branch.id, 'app')).toBe(drops);
  expect(await shown(unknownValue, 'app')).toBe('');
});

it('a preview finds at the new parent what a replaced branch gets', async () => {
  const { startRun, project, branch } = await startEngineRuns();
  const projectId = project.id;
  const first = startRun();
  const own = await first.create('branch', 'b', { projectId, allowDataLoss: true });
  const role = await first.create('role', 'r', { projectId, branchId: own.id, name: 'app' });
  await startRun().create('role', 'other', { projectId, branchId: branch.id, name: 'app' });
  const run = startRun();
  await run.preview(own, { projectId, parentId: branch.id, allowDataLoss: true });
  await run.replaceEarly(role, { branchId: unknownValue });
  const { message } = await errorOf(run.check('role', 'r', { ...role.inputs, branchId: unknownValue }));
  expect(message).toContain(`starts with, as branch ${branch.id} has it`);
});

it('a preview finds a role on the branch that is to be adopted', async () => {
  const { startRun, project, branch } = await startEngineRuns();
  const projectId = project.id;
  const other = await startRun().create('role', 'other', { projectId, branchId: branch.id, name: 'app' });
  const moved = { ...other.inputs, branchId: unknownValue };
  const copying = startRun();
  await copying.check('branch', 'b', { projectId, parentId: branch.id });
  expect((await errorOf(copying.preview(other, moved))).message).toContain('the branch starts with');
  const run = startRun();
  await run.check('branch', 'b', { projectId, name: branch.name, adopt: true });
  const declared = { projectId, branchId: unknownValue, name: 'app' };
  expect((await errorOf(run.check('role', 'r', declared))).message).toContain(
    `the name of a role that branch ${branch.id} already has`,
  );
  await run.preview(other, moved); // It is that role.
});

it('a preview looks at no parent that the new branches do not share', async () => {
  const { startRun, project, branch } = await startEngineRuns();
  const projectId = project.id;
  const run = startRun();
  await run.check('branch', 'b', { projectId });
  await run.check('branch', 'other', { projectId, parentId: branch.id });
  await run.check('role', 'r', { projectId, branchId: unknownValue, name: 'app_owner' });
  const early = startRun();
  await early.check('branch', 'b', { projectId, parentTimestamp: new Date().toISOString() });
  await early.check('role', 'r', { projectId, branchId: unknownValue, name: 'app_owner' });
});

it('a preview refuses a database of a role that a new branch lacks', async () => {
  const { startRun, project } = await startEngineRuns();
  const at = { projectId: project.id, branchId: unknownValue };
  const run = startRun();
  await run.check('branch', 'b', { projectId: project.id });
  const { message } = await errorOf(run.check('database', 'd', { ...at, name: 'shop', ownerName: 'none' }));
  expect(message).toContain('is not a role of the new branch');
  await run.check('role', 'r', { ...at, name: 'shop_owner' });
  await run.check('database', 'd', { ...at, name: 'shop', ownerName: 'shop_owner' });
});

it('a preview refuses a database of a role that will not be there', async () => {
  const { startRun, project, branch } = await startEngineRuns();
  const at = { projectId: project.id, branchId: branch.id };
  const database = { ...at, name: 'shop', ownerName: 'app' };
  const run = startRun();
  const { message } = await errorOf(run.check('database', 'd', database));
  expect(message).toContain(`is not a role of branch ${branch.id}`);
  const role = await run.create('role', 'r', { ...at, name: 'app' });
  await run.check('database', 'd', database);
  const next = startRun();
  await next.preview(role, { ...at, name: 'other' });
  const gone = await errorOf(next.check('database', 'd', database));
  expect(gone.message).toContain(`is not a role of branch ${branch.id}`);
  const retaining = startRun();
  await retaining.preview(role, { ...at, name: 'other' }, { retainsOnDelete: true });
  await retaining.check('database', 'd', database);
});

it('a preview refuses what the service would: a name, an owner', async () => {
  const { startRun, project, branch } = await startEngineRuns();
  const at = { projectId: project.id, branchId: branch.id };
  const first = startRun();
  await first.create('role', 'r', { ...at, name: 'app' });
  const database = await first.create('database', 'd', { ...at, name: 'shop', ownerName: 'app' });
  const taken = startRun().preview(database, { ...at, name: 'app', ownerName: 'app' });
  expect((await errorOf(taken)).message).toContain('name "app" belongs to another database of branch');
  const given = startRun().preview(database, { ...at, name: 'shop', ownerName: 'none_such' });
  expect((await errorOf(given)).message).toContain('ownerName is not a role of branch');
});

it('a preview of a rename keeps no data of a database that is lost', async () => {
  const { startRun, project, request } = await startEngineRuns();
  const projectId = project.id;
  const branch = await startRun().create('branch', 'b', { projectId, allowDataLoss: true });
  const shop = { projectId, branchId: branch.id, name: 'shop', ownerName: 'app_owner' };
  const database = await startRun().create('database', 'd', shop);
  const reset = startRun();
  await reset.preview(branch, { ...branch.inputs, resetTriggers: { commit: 'b' } });
  await reset.preview(database, { ...shop, name: 'store' });
  expect(reset.shown.at(-1)).toMatch(/^the reset of its branch replaces the databases/);
  await request('DELETE', `/projects/${projectId}/branches/${branch.id}/databases/shop`);
  const gone = startRun();
  await gone.preview(database, { ...shop, name: 'store' });
  expect(gone.shown.join()).toMatch(/^database \S+ no longer exists: .*--refresh/);
});

it('a reset is not said to replace what others have dropped since', async () => {
  const { startRun, project, request } = await startEngineRuns();
  const projectId = project.id;
  const branch = await startRun().create('branch', 'b', { projectId, allowDataLoss: true });
  const app = { projectId, branchId: branch.id, name: 'app', ownerName: 'app_owner', adopt: true };
  const database = await startRun().create('database', 'd', app);
  const reset = { ...branch.inputs, resetTriggers: { commit: 'b' } };
  const run = startRun();
  const [resetBranch, kept] = [await run.update(branch, reset), await run.update(database, app)];
  await request('DELETE', `/projects/${projectId}/branches/${branch.id}/databases/app`);
  const next = startRun();
  await next.preview(resetBranch, reset);
  await next.preview(kept, app);
  expect(next.shown.join()).toMatch(
    /^its branch was reset at \S+, and no longer has this database: .* creates/,
  );
});

it('a new database can have the name that another one had at first', async () => {
  const { startRun, project, branch, request } = await startEngineRuns();
  const shop = { projectId: project.id, branchId: branch.id, name: 'shop', ownerName: 'app_owner' };
  const store = { ...shop, name: 'store' };
  const run = startRun();
  const first = await run.update(await startRun().create('database', 'first', shop), store);
  const second = await run.create('database', 'second', shop);
  expect(second.id).toBe(first.id);
  const next = startRun();
  expect(await next.preview(first, store)).toMatchObject({ hasChanges: false });
  expect(await next.preview(second, shop)).toMatchObject({ hasChanges: false });
  await startRun().delete(first);
  const path = `/projects/${project.id}/branches/${branch.id}/databases/shop`;
  expect(await request('GET', path)).toMatchObject({ status: 200 });
});

it('a preview finds at the source of a reset what the branch gets', async () => {
  const { startRun, project } = await startEngineRuns();
  const projectId = project.id;
  const main = await startRun().create('branch', 'main', { projectId });
  const reset = { projectId, parentId: main.id, allowDataLoss: true };
  const branch = await startRun().create('branch', 'b', { ...reset, resetTriggers: { commit: 'a' } });
  await startRun().create('role', 'other', { projectId, branchId: main.id, name: 'app' });
  const run = startRun();
  await run.preview(branch, { ...reset, resetTriggers: { commit: 'b' } });
  const { message } = await errorOf(run.check('role', 'r', { projectId, branchId: branch.id, name: 'app' }));
  expect(message).toContain(`a role that the branch starts with, as branch ${main.id} has it`);
  for (const restoreFrom of [{ lsn: '0/16B3748' }, { timestamp: '2026-01-01T00:00:00Z' }]) {
    const earlier = startRun();
    await earlier.preview(branch, { ...reset, resetTriggers: { commit: 'b' }, restoreFrom });
    await earlier.check('role', 'r', { projectId, branchId: branch.id, name: 'app' });
  }
  const place = { projectId, branchId: branch.id };
  const role = await startRun().create('role', 'r', { ...place, name: 'app' });
  const next = startRun();
  await next.preview(branch, { ...reset, resetTriggers: { commit: 'b' } });
  await next.preview(role, { ...place, name: 'renamed' });
  const database = { ...place, name: 'shop', ownerName: 'app' };
  const refusal = await errorOf(next.check('database', 'd', database));
  expect(refusal.message).toContain(`is not a role of branch ${branch.id}`);
});

it.each(['shop', 'app'])('the next up resets database %s if a run has ended before that', async (name) => {
  const { startRun, project } = await startEngineRuns();
  const projectId = project.id;
  const reset = { projectId, allowDataLoss: true, resetTriggers: { commit: 'b' } };
  const first = startRun();
  const branch = await first.create('branch', 'b', { ...reset, resetTriggers: { commit: 'a' } });
  const declared = { projectId, branchId: branch.id, name, ownerName: 'app_owner', adopt: true };
  const database = await first.create('database', 'd', declared);
  const after = await startRun().update(branch, reset);
  const run = startRun();
  await run.preview(after, reset);
  expect(await run.preview(database, declared)).toMatchObject({ hasChanges: true });
  expect(run.shown.join()).toContain('`pulumi up` creates this one again, empty, unless');
  const now = await run.update(database, declared);
  const next = startRun();
  await next.preview(after, reset);
  expect(await next.preview(now, declared)).toMatchObject({ hasChanges: false });
});

it('a targeted destroy of a branch says how to delete what is on it', async () => {
  const { startRun, project } = await startEngineRuns();
  const first = startRun();
  const { id } = await first.create('branch', 'b', { projectId: project.id });
  const on = { projectId: project.id, branchId: id };
  const database = await first.create('database', 'd', { ...on, name: 'shop', ownerName: 'app_owner' });
  const endpoint = await first.create('endpoint', 'e', { ...on, type: 'read_write', allowRestart: false });
  const run = startRun();
  await run.replaceEarly(endpoint, { branchId: unknownValue });
  const { message } = await errorOf(run.replaceEarly(database, { branchId: unknownValue }));
  expect(message).toMatch(/what it depends on is deleted or replaced\. .* alone, with --target;/);
  expect(run.shown).toEqual([]);
});
