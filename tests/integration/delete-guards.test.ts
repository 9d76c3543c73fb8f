import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import { errorOf } from '../support/failure';
import { startBranchProgram } from '../support/start-program';
import { urnOf } from '../support/start-service';

describe('a delete yields to the resource that is to adopt it', () => {
  it('when the engine skips the create, until a run takes the branch over', async () => {
    const { one, run, startRun, isThere, projectId, emulator } = await startBranchProgram();
    emulator.changeBranch(projectId, one.id, { name: 'moved' });
    const adopting = { projectId, name: 'moved', adopt: true };
    await run.check('branch', 'uno', adopting);
    const { message } = await errorOf(run.delete(one));
    expect(message).toContain(`${urnOf('uno', 'branch')} is to adopt it, and has not taken it over`);
    expect(isThere(one.id)).toBe(true);
    const next = startRun();
    expect((await next.create('branch', 'uno', adopting)).id).toBe(one.id);
    await next.delete(one);
    expect(next.shown.join()).toContain('was not deleted');
    expect(isThere(one.id)).toBe(true);
  });

  it('but not to its own replacement, also under a new name', async () => {
    const { one, run, isThere, projectId, feature } = await startBranchProgram();
    const replacing = { projectId, name: 'data', adopt: true, parentId: feature, allowDataLoss: true };
    await run.preview({ ...one, name: 'uno' }, replacing);
    await run.delete(one);
    expect(isThere(one.id)).toBe(false);
  });

  it('when the take-over of an endpoint fails before it is in state', async () => {
    const { run, startRun, on, feature, emulator } = await startBranchProgram();
    const old = await startRun().create('endpoint', 'old', on(feature, { type: 'read_only' }));
    emulator.changeEndpoint(old.id, { name: 'moved' });
    emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'status', status: 422 } });
    const adopting = { ...old.inputs, name: 'moved', adopt: true, suspendTimeoutSeconds: 700 };
    await errorOf(run.create('endpoint', 'new', adopting));
    expect((await errorOf(run.delete(old))).message).toContain(`${urnOf('new')} is to adopt it`);
    expect(emulator.endpoints().map(({ id }) => id)).toContain(old.id);
  });

  it('when others have renamed a database to the name of the other', async () => {
    const { run, startRun, projectId, feature, request } = await startBranchProgram();
    const place = { projectId, branchId: feature, ownerName: 'app_owner' };
    const old = await startRun().create('database', 'old', { ...place, name: 'shop' });
    const databases = `/projects/${projectId}/branches/${feature}/databases`;
    await request('PATCH', `${databases}/shop`, { database: { name: 'store' } });
    const adopting = { ...place, name: 'store', adopt: true };
    await run.check('database', 'new', adopting);
    const { message } = await errorOf(run.delete(old));
    expect(message).toContain(`${urnOf('new', 'database')} is to adopt it`);
    const next = startRun();
    await next.create('database', 'new', adopting);
    await next.delete(old);
    expect(next.shown.join()).toContain('was not deleted');
    expect(await request('GET', `${databases}/store`)).toMatchObject({ status: 200 });
  });
});

describe('a program that reads under the URN of a managed resource', () => {
  it('deletes no branch without allowDataLoss', async () => {
    const { one, run, startRun, isThere, projectId } = await startBranchProgram();
    const other = await startRun().create('branch', 'one', { projectId, name: 'other' });
    await run.lookUp(other);
    expect((await errorOf(run.delete(one))).message).toContain('allowDataLoss is not true');
    expect(isThere(one.id)).toBe(true);
    await run.preview(other, { projectId, name: 'other', allowDataLoss: true });
    await run.delete(one);
    expect(isThere(one.id)).toBe(false);
  });

  it('deletes no database without allowDataLoss', async () => {
    const { run, startRun, projectId, feature } = await startBranchProgram();
    const inputs = { projectId, branchId: feature, name: 'theirs', ownerName: 'app_owner' };
    const mine = await startRun().create('database', 'd', { ...inputs, name: 'mine' });
    const theirs = await startRun().create('database', 'theirs', inputs);
    await run.preview({ ...theirs, name: 'd' }, inputs);
    expect((await errorOf(run.delete(mine))).message).toContain('allowDataLoss is not true');
  });

  it.each(['allowRestart is true', 'it is idle'])('deletes an endpoint only if %s', async (reason) => {
    const { one, startRun, on, feature, send } = await startBranchProgram();
    const mine = await startRun().create('endpoint', 'e', on(one.id));
    const theirs = await startRun().create('endpoint', 'theirs', on(feature));
    const imported = { ...theirs, name: 'e' };
    const run = startRun();
    await run.lookUp(imported);
    await run.preview(imported, { ...on(feature), allowRestart: false });
    expect((await errorOf(run.delete(mine))).message).toContain('allowRestart is not true');
    if (reason === 'it is idle') await send('POST', `${mine.id}/suspend`);
    else await run.preview(imported, { ...on(feature), allowRestart: true });
    await sleep(1_000);
    await run.delete(mine);
  });
});

it.each([false, true])(
  'what no longer exists has no data to lose, with allowDataLoss: %s',
  async (allowed) => {
    const { one, run, startRun, projectId, feature, request } = await startBranchProgram();
    const allowing = { projectId, allowDataLoss: allowed };
    const inputs = { ...allowing, branchId: one.id, name: 'shop', ownerName: 'app_owner' };
    const database = await startRun().create('database', 'd', inputs);
    await request('DELETE', `/projects/${projectId}/branches/${one.id}`);
    await run.preview(database, { ...inputs, branchId: feature });
    await run.delete(database);
    await run.preview(one, { ...allowing, name: 'data', parentId: feature });
    expect(run.shown.join()).toMatch(/^database \S+ no longer exists.*,branch \S+ no longer exists/);
  },
);

it('nothing is created on a branch that the run has deleted', async () => {
  const { one, run, projectId } = await startBranchProgram();
  await run.delete(one);
  const role = run.createUnchecked('role', 'r', { projectId, branchId: one.id, name: 'own' });
  expect((await errorOf(role)).message).toContain(
    `branchId is ${one.id}, a branch that this run has deleted`,
  );
});

it('what is renamed and replaced with its branch is announced once', async () => {
  const { one, run, startRun, on, projectId, feature } = await startBranchProgram();
  const endpoint = await startRun().create('endpoint', 'e', on(one.id));
  const owned = { projectId, branchId: one.id, name: 'shop', ownerName: 'app_owner', allowDataLoss: true };
  const database = await startRun().create('database', 'd', owned);
  await run.preview(one, { projectId, name: 'data', parentId: feature, allowDataLoss: true });
  for (const each of [endpoint, database]) await run.replaceEarly(each, { branchId: unknownValue });
  const count = run.shown.length;
  await run.preview({ ...endpoint, name: 'f' }, on(unknownValue));
  await run.check('endpoint', 'f', on(unknownValue));
  expect(run.shown).toHaveLength(count);
  const denied = { ...owned, branchId: unknownValue, allowDataLoss: false };
  const { message } = await errorOf(run.preview({ ...database, name: 'f' }, denied));
  expect(message).toContain('deletes the database with its data: its branch is replaced');
});

it('what can not be read is not replaced without allowDataLoss', async () => {
  const { one, run, projectId, feature, emulator } = await startBranchProgram();
  const effect = { kind: 'status', status: 403 } as const;
  emulator.inject({ match: { path: '/projects/:p/branches**' }, effect, times: 'always' });
  const { message } = await errorOf(run.preview(one, { projectId, name: 'data', parentId: feature }));
  expect(message).toContain('allowDataLoss is not true');
});

describe('what is replaced with its branch is not deleted', () => {
  it('if a branch was created from that one', async () => {
    const { one, startRun, projectId, emulator, on, feature } = await startBranchProgram();
    const place = { projectId, branchId: one.id };
    const owned = { ...place, name: 'shop', ownerName: 'app_owner', allowDataLoss: true };
    const all = [
      await startRun().create('endpoint', 'e', on(one.id)),
      await startRun().create('role', 'r', { ...place, name: 'app' }),
      await startRun().create('database', 'd', owned),
    ];
    const run = startRun();
    await run.preview(one, { projectId, name: 'data', parentId: feature, allowDataLoss: true });
    for (const each of all) await run.replaceEarly(each, { branchId: unknownValue });
    emulator.createBranch(projectId, { parentId: one.id });
    for (const each of all)
      expect((await errorOf(run.delete(each))).message).toMatch(
        /it is replaced with its branch, which can't be deleted: .*other branches were created from it/,
      );
    expect(emulator.requests().filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  it('if the name of the branch in place of that one is taken', async () => {
    const { one, run, startRun, projectId, emulator, on } = await startBranchProgram();
    const endpoint = await startRun().create('endpoint', 'e', on(one.id));
    emulator.createBranch(projectId, { name: 'taken' });
    await run.check('branch', 'one', { projectId, name: 'taken' }, undefined, { secretNames: ['name'] });
    await run.replaceEarly(endpoint, on(unknownValue));
    const { message } = await errorOf(run.delete(endpoint));
    expect(message).toContain('the project already has a branch of that name');
    expect(message).not.toContain('taken');
  });

  it.each(['the default branch', 'a root branch'])('if that one is %s', async (what) => {
    const { startRun, projectId, on, feature, request } = await startBranchProgram();
    const adopting = { projectId, name: 'main', adopt: true };
    const main = await startRun().create('branch', 'main', adopting);
    const endpoint = await startRun().create('endpoint', 'e', { ...on(main.id), adopt: true });
    const asDefault = `/projects/${projectId}/branches/${feature}/set_as_default`;
    if (what === 'a root branch') await request('POST', asDefault);
    const changed = { ...adopting, initSource: 'schema-only', allowDataLoss: true };
    expect((await errorOf(startRun().preview(main, changed))).message).toContain(`it is ${what}`);
    const forced = startRun();
    await forced.check('branch', 'main', adopting);
    const early = forced.replaceEarly(endpoint, on(unknownValue));
    expect((await errorOf(early)).message).toContain(`it is ${what}`);
  });

  it('if the branch that comes before that one is protected', async () => {
    const { one, startRun, projectId, emulator, on, feature } = await startBranchProgram();
    const child = await startRun().create('branch', 'child', { projectId, parentId: one.id });
    const endpoint = await startRun().create('endpoint', 'e', on(child.id));
    const run = startRun();
    await run.preview(one, { projectId, name: 'data', parentId: feature, allowDataLoss: true });
    await run.replaceEarly(child, { projectId, parentId: unknownValue, allowDataLoss: true });
    await run.replaceEarly(endpoint, on(unknownValue));
    emulator.changeBranch(projectId, one.id, { protected: true });
    expect((await errorOf(run.delete(endpoint))).message).toContain(`delete of branch ${one.id}`);
  });

  it('and the preview names the branches created from it', async () => {
    const { one, startRun, projectId, emulator, feature } = await startBranchProgram();
    const changed = { projectId, name: 'data', parentId: feature, allowDataLoss: true };
    const child = emulator.createBranch(projectId, { parentId: one.id });
    const run = startRun();
    await run.preview(one, changed);
    expect(run.shown.join()).toContain(`branches were created from it: ${child.id}`);
  });
});

describe('what others did since', () => {
  it('protects a branch that they protected', async () => {
    const { one, run, startRun, isThere, projectId, emulator } = await startBranchProgram();
    emulator.changeBranch(projectId, one.id, { protected: true });
    expect((await errorOf(run.delete(one))).message).toContain(`branch ${one.id} is protected`);
    expect(isThere(one.id)).toBe(true);
    emulator.changeBranch(projectId, one.id, { protected: false });
    await startRun().delete(one);
    expect(isThere(one.id)).toBe(false);
  });

  it('stops a replacement of a branch on which they have put an endpoint', async () => {
    const { one, run, isThere, projectId, emulator, feature } = await startBranchProgram();
    await run.preview(one, { projectId, name: 'data', parentId: feature, allowDataLoss: true });
    const { id } = emulator.createEndpoint(projectId, { branch_id: one.id, type: 'read_write' });
    const { message } = await errorOf(run.delete(one));
    expect(message).toContain(`endpoint ${id} (read_write`);
    expect(message).toContain('added after this run first checked the branch');
    expect(isThere(one.id)).toBe(true);
  });
});
