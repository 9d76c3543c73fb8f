import { describe, expect, it } from 'vitest';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import { errorOf } from '../support/failure';
import { startBranchProgram } from '../support/start-program';
import { urnOf } from '../support/start-service';

describe('a branch is not deleted from under an endpoint', () => {
  it('that the program keeps, before that is moved', async () => {
    const { one, run, startRun, isThere, on, feature } = await startBranchProgram();
    const endpoint = await startRun().create('endpoint', 'e', on(one.id));
    await run.preview(endpoint, on(one.id));
    const { message } = await errorOf(run.delete(one));
    expect(message).toContain(`endpoint ${endpoint.id} (read_write, active, of ${urnOf('e')})`);
    expect(message).toContain('remove the endpoint from the program or move it to another branch');
    expect(isThere(one.id)).toBe(true);
    const next = startRun();
    await next.update(endpoint, on(feature));
    await next.delete(one);
    expect(isThere(one.id)).toBe(false);
  });

  it('that no list shows yet, but the state, or this run has created', async () => {
    const { one, run, startRun, isThere, on, emulator } = await startBranchProgram();
    const endpoint = await startRun().create('endpoint', 'e', on(one.id));
    const lists = { method: 'GET', path: '/projects/:p/endpoints' } as const;
    emulator.inject({ match: lists, effect: { kind: 'late-read', lateMs: 60_000 }, times: 'always' });
    await run.preview(endpoint, on(one.id));
    expect((await errorOf(run.delete(one))).message).toContain('which this program keeps');
    const creating = startRun();
    await creating.create('endpoint', 'new', on(one.id, { type: 'read_only' }));
    expect((await errorOf(creating.delete(one))).message).toContain('which this program keeps');
    expect(isThere(one.id)).toBe(true);
  });

  it('that a list still shows on the branch from which this run moved it', async () => {
    const { one, run, startRun, isThere, on, feature, emulator } = await startBranchProgram();
    const endpoint = await startRun().create('endpoint', 'e', on(feature));
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const lists = { method: 'GET', path: '/projects/:p/endpoints' } as const;
    emulator.inject({ match: lists, effect: { kind: 'late-read', lateMs: 4_000 }, times: 'always' });
    await run.update(endpoint, on(one.id));
    expect((await errorOf(run.delete(one))).message).toContain('which this program keeps');
    expect(isThere(one.id)).toBe(true);
  });

  it('that the program declares while the branch is still being read', async () => {
    const { one, run, startRun, isThere, on, emulator } = await startBranchProgram();
    const endpoint = await startRun().create('endpoint', 'e', on(one.id));
    const branches = { method: 'GET', path: '/projects/:p/branches' } as const;
    emulator.inject({ match: branches, effect: { kind: 'slow', delayMs: 1_000 }, times: 'always' });
    const deletion = errorOf(run.delete(one));
    await new Promise((resolve) => setTimeout(resolve, 500));
    await run.preview(endpoint, on(one.id));
    expect((await deletion).message).toContain('which this program keeps');
    expect(isThere(one.id)).toBe(true);
  });

  it('whose own delete is refused at the same time', async () => {
    const { one, run, startRun, isThere, on } = await startBranchProgram();
    const endpoint = await startRun().create('endpoint', 'e', on(one.id));
    await run.check('endpoint', 'new', { ...on(one.id), adopt: true });
    const deletes = await Promise.all([errorOf(run.delete(one)), errorOf(run.delete(endpoint))]);
    for (const { message } of deletes) expect(message).toContain(urnOf('new'));
    expect(isThere(one.id)).toBe(true);
  });

  it('in the preview of a replacement, in any order of declaration', async () => {
    const { one, startRun, on, projectId, feature } = await startBranchProgram();
    const endpoint = await startRun().create('endpoint', 'e', on(one.id));
    const changed = { projectId, name: 'data', parentId: feature, allowDataLoss: true };
    const first = startRun();
    await first.preview(endpoint, on(one.id));
    expect((await errorOf(first.preview(one, changed))).message).toContain('which this program keeps');
    const second = startRun();
    await second.preview(one, changed);
    expect(second.shown.join()).toContain(`the service deletes the endpoints of branch ${one.id} with it`);
    expect((await errorOf(second.preview(endpoint, on(one.id)))).message).toContain('this program keeps');
  });

  it('that is foreign and active, if the stack forbids restarts', async () => {
    const { one, run, projectId, emulator, feature } = await startBranchProgram({ allowRestart: 'false' });
    const foreign = emulator.createEndpoint(projectId, { branch_id: one.id, type: 'read_only' });
    await run.check('role', 'r', { projectId, branchId: feature, name: 'app' });
    expect((await errorOf(run.delete(one))).message).toContain(`endpoint ${foreign.id} (read_only`);
  });

  it('whose own delete has failed, if the stack forbids restarts', async () => {
    const { one, run, startRun, on, emulator, feature } = await startBranchProgram({ allowRestart: 'false' });
    const endpoint = await startRun().create('endpoint', 'e', on(one.id));
    await run.check('endpoint', 'other', on(feature));
    emulator.inject({ match: { method: 'DELETE' }, effect: { kind: 'status', status: 403 } });
    await errorOf(run.delete(endpoint));
    expect((await errorOf(run.delete(one))).message).toContain(`endpoint ${endpoint.id} (read_write`);
  });

  it('without an error where the program declares it later', async () => {
    const { one, run, startRun, on, feature } = await startBranchProgram();
    const endpoint = await startRun().create('endpoint', 'e', on(one.id));
    await run.check('endpoint', 'other', on(feature));
    await run.delete(one);
    const { message } = await errorOf(run.preview(endpoint, on(one.id)));
    expect(message).toContain(`branchId is ${one.id}, a branch that this run has deleted`);
  });

  it('but by a destroy, which declares nothing', async () => {
    const { one, run, startRun, isThere, on } = await startBranchProgram({ allowRestart: 'false' });
    const endpoint = await startRun().create('endpoint', 'e', on(one.id));
    await run.delete(one);
    expect(run.shown.join()).toContain(endpoint.id);
    expect(isThere(one.id)).toBe(false);
  });
});

it('a branch is deleted after its child where one run deletes both', async () => {
  const { one, run, startRun, isThere, projectId } = await startBranchProgram();
  const child = await startRun().create('branch', 'child', { projectId, parentId: one.id });
  await Promise.all([run.delete(one), run.delete(child)]);
  expect([one.id, child.id].filter(isThere)).toEqual([]);
});

it('no branch goes with a database of the program', async () => {
  const { one, run, projectId } = await startBranchProgram();
  await run.create('database', 'd', { projectId, branchId: one.id, name: 'shop', ownerName: 'app_owner' });
  const kept = `${urnOf('d', 'database')}, which this program keeps, would be deleted with the branch`;
  expect((await errorOf(run.delete(one))).message).toContain(kept);
});

it('a preview refuses to replace a branch with a database that is kept', async () => {
  const { one, startRun, projectId, feature } = await startBranchProgram();
  const declared = { projectId, branchId: one.id, name: 'shop', ownerName: 'app_owner' };
  const database = await startRun().create('database', 'd', declared);
  const replacing = { projectId, name: 'data', parentId: feature, allowDataLoss: true };
  const first = startRun();
  await first.preview(one, replacing);
  const kept = await errorOf(first.preview(database, declared));
  expect(kept.message).toContain('is replaced, which deletes this database with it');
  const early = startRun();
  await early.preview(one, replacing);
  const owned = await errorOf(early.replaceEarly(database, { ownerName: unknownValue }));
  expect(owned.message).toContain('of the branch resource, and deleteBeforeReplace: false on its role');
  const later = startRun();
  await later.preview(database, declared);
  expect((await errorOf(later.preview(one, replacing))).message).toContain('which this program keeps');
});

it('a preview refuses to replace a database after its replaced branch', async () => {
  const { one, startRun, run, projectId, feature } = await startBranchProgram();
  const declared = { projectId, branchId: one.id, name: 'shop', ownerName: 'app_owner' };
  const database = await startRun().create('database', 'd', declared);
  await run.preview(one, { projectId, name: 'data', parentId: feature, allowDataLoss: true });
  const followed = run.preview(database, { ...declared, branchId: unknownValue });
  expect((await errorOf(followed)).message).toContain('allowDataLoss is not true');
});
