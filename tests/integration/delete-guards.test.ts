import { describe, expect, it } from 'vitest';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import { errorOf } from '../support/failure';
import { startBranchProgram } from '../support/start-program';
import { urnOf } from '../support/start-service';

describe('a delete yields to the resource that is to adopt it', () => {
  it('when the engine skips the create, until a run takes the branch over', async () => {
    const { one, run, startRun, isThere, projectId } = await startBranchProgram();
    const adopting = { projectId, name: 'data', adopt: true };
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

  it.each([
    ['has another parent', (feature: string) => ({ name: 'data', parentId: feature })],
    ['waits for its name', () => ({ name: unknownValue })],
  ])('when that one %s', async (_why, args) => {
    const { one, run, isThere, projectId, feature } = await startBranchProgram();
    const create = run.create('branch', 'uno', { projectId, adopt: true, ...args(feature) });
    await create.catch(() => undefined);
    expect((await errorOf(run.delete(one))).message).toContain('is to adopt it');
    expect(isThere(one.id)).toBe(true);
  });

  it('but not to one of another name, nor to one in state', async () => {
    const { one, run, isThere, projectId } = await startBranchProgram();
    await run.check('branch', 'other', { projectId, name: 'other', adopt: true });
    const inState = { ...one, name: 'uno', id: 'br-elsewhere' };
    await run.check('branch', 'uno', { projectId, name: 'data', adopt: true }, inState);
    await run.delete(one);
    expect(isThere(one.id)).toBe(false);
  });

  it.each([
    ['by its name', 'read_only', { name: 'api', type: 'read_only' }],
    ['by its branch', 'read_write', { type: 'read_write' }],
  ])('for an endpoint, %s', async (_how, type, args) => {
    const { run, startRun, heldOn, on, feature } = await startEndpoints();
    const old = await startRun().create('endpoint', 'old', { ...on(feature), type, name: 'api' });
    await run.check('endpoint', 'new', { ...on(feature), ...args, adopt: true });
    expect((await errorOf(run.delete(old))).message).toContain(`${urnOf('new')} is to adopt it`);
    expect(heldOn(feature)).toEqual([old.id]);
  });

  it('when the take-over fails before it is in state', async () => {
    const { run, startRun, heldOn, on, feature, emulator } = await startEndpoints();
    const old = await startRun().create('endpoint', 'old', on(feature));
    emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'status', status: 422 } });
    const adopting = { ...on(feature), adopt: true, suspendTimeoutSeconds: 700 };
    await errorOf(run.create('endpoint', 'new', adopting));
    expect((await errorOf(run.delete(old))).message).toContain('is to adopt it');
    expect(heldOn(feature)).toEqual([old.id]);
  });

  async function startEndpoints() {
    const ground = await startBranchProgram();
    const heldOn = (branchId: string) =>
      ground.emulator.endpoints().flatMap(({ id, branch_id }) => (branch_id === branchId ? [id] : []));
    return { ...ground, heldOn };
  }
});

describe('a program that reads under the URN of a managed resource', () => {
  it.each([
    ['looks that up', true, false],
    ['imports that', true, true],
    ['has imported that in an earlier run', false, true],
  ])('deletes no branch without allowDataLoss if it %s', async (_how, isRead, isDeclared) => {
    const { one, run, startRun, isThere, projectId } = await startBranchProgram();
    const other = await startRun().create('branch', 'one', { projectId, name: 'other' });
    if (isRead) await run.lookUp(other);
    if (isDeclared) await run.preview(other, { projectId, name: 'other' });
    expect((await errorOf(run.delete(one))).message).toContain('allowDataLoss is not true');
    expect(isThere(one.id)).toBe(true);
    await run.preview(other, { projectId, name: 'other', allowDataLoss: true });
    await run.delete(one);
    expect(isThere(one.id)).toBe(false);
  });

  it('deletes no active endpoint if allowRestart is false', async () => {
    const { one, startRun, on, feature } = await startBranchProgram();
    const mine = await startRun().create('endpoint', 'e', on(one.id));
    const theirs = await startRun().create('endpoint', 'theirs', on(feature));
    const imported = { ...theirs, name: 'e' };
    const run = startRun();
    await run.lookUp(imported);
    await run.preview(imported, { ...on(feature), allowRestart: false });
    expect((await errorOf(run.delete(mine))).message).toContain('allowRestart is not true');
    await run.preview(imported, { ...on(feature), allowRestart: true });
    await run.delete(mine);
  });

  it.each(['branch', 'endpoint'] as const)('keeps the %s that it looks up', async (kind) => {
    const { one, run, startRun, on, emulator } = await startBranchProgram();
    const item = kind === 'branch' ? one : await startRun().create('endpoint', 'e', on(one.id));
    await run.lookUp(item);
    await run.delete(item);
    expect(run.shown.join()).toContain(`${kind} ${item.id} was not deleted`);
    expect(emulator.requests().filter(({ method }) => method === 'DELETE')).toEqual([]);
  });
});

describe('what is replaced with its branch is not deleted', () => {
  it.each([
    ['if a branch was created from that one', 'other branches were created from it'],
    ['if others have protected that one', 'another client has protected branch'],
    ["if others' active endpoint is on it and allowRestart is false", 'allowRestart is false'],
  ])('%s', async (_when, reason) => {
    const { one, startRun, projectId, emulator, on, feature } = await startBranchProgram();
    const place = { projectId, branchId: one.id };
    const owned = { ...place, name: 'shop', ownerName: 'app_owner', allowDataLoss: true };
    const all = [
      await startRun().create('endpoint', 'e', { ...on(one.id), allowRestart: true }),
      await startRun().create('role', 'r', { ...place, name: 'app' }),
      await startRun().create('database', 'd', owned),
    ];
    const run = startRun({ allowRestart: 'false' });
    await run.preview(one, { projectId, name: 'data', parentId: feature, allowDataLoss: true });
    for (const each of all) await run.replaceEarly(each, { branchId: unknownValue });
    if (reason.startsWith('other')) emulator.createBranch(projectId, { parentId: one.id });
    if (reason.startsWith('another')) emulator.changeBranch(projectId, one.id, { protected: true });
    if (reason.startsWith('allow'))
      emulator.createEndpoint(projectId, { branch_id: one.id, type: 'read_only' });
    for (const each of all) {
      const { message } = await errorOf(run.delete(each));
      expect(message).toContain("it is replaced with its branch, which can't be deleted");
      expect(message).toContain(reason);
    }
    expect(emulator.requests().filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  it('if the name of the branch in place of that one is taken', async () => {
    const { one, run, startRun, projectId, emulator, on } = await startBranchProgram();
    const endpoint = await startRun().create('endpoint', 'e', on(one.id));
    emulator.createBranch(projectId, { name: 'taken' });
    await run.check('branch', 'one', { projectId, name: 'taken' });
    await run.replaceEarly(endpoint, on(unknownValue));
    const { message } = await errorOf(run.delete(endpoint));
    expect(message).toContain('the project already has a branch of that name');
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

  it('and the preview names the branches created from it, and its protection', async () => {
    const { one, startRun, projectId, emulator, feature } = await startBranchProgram();
    const changed = { projectId, name: 'data', parentId: feature, allowDataLoss: true };
    const child = emulator.createBranch(projectId, { parentId: one.id });
    const run = startRun();
    await run.preview(one, changed);
    expect(run.shown.join()).toContain(`branches were created from it: ${child.id}`);
    emulator.changeBranch(projectId, one.id, { protected: true });
    expect((await errorOf(startRun().preview(one, changed))).message).toContain(
      'another client has protected branch',
    );
  });
});

describe('what others did since', () => {
  it('protects a branch that they protected', async () => {
    const { one, run, startRun, isThere, projectId, emulator } = await startBranchProgram();
    emulator.changeBranch(projectId, one.id, { protected: true });
    expect((await errorOf(run.delete(one))).message).toContain('another client has protected branch');
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
