import { describe, expect, it } from 'vitest';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import { errorOf } from '../support/failure';
import { startBranchProgram, startProgram } from '../support/start-program';
import { urnOf } from '../support/start-service';

it('a move to a branch of no such project is refused in the preview', async () => {
  const { startRun, run, on, feature } = await startProgram();
  const endpoint = await startRun().create('endpoint', 'e', on(feature));
  const { message } = await errorOf(run.preview(endpoint, on('br-elsewhere')));
  expect(message).toMatch(/branchId is not the id of a branch of project \S+\. Nothing was changed/);
});

it('a move to a branch that the run is deleting is refused', async () => {
  const { one, run, startRun, feature, on } = await startBranchProgram();
  const endpoint = await startRun().create('endpoint', 'e', on(feature));
  const deletion = run.delete(one);
  const { message } = await errorOf(run.update(endpoint, on(one.id)));
  await deletion;
  expect(message).toContain(`branchId is ${one.id}, a branch that this run has deleted`);
});

it('a preview says whether a role is replaced with its branch', async () => {
  const { startRun, run, projectId } = await startProgram();
  const branch = await startRun().create('branch', 'b', { projectId });
  const declared = { projectId, branchId: branch.id, name: 'app' };
  const role = await startRun().create('role', 'r', declared);
  // As in a targeted destroy of the branch.
  await run.replaceEarly(role, { branchId: unknownValue });
  expect(run.shown).toEqual([]);
  await run.preview(role, { ...declared, branchId: unknownValue });
  const consequence = `replaces role ${role.id}, gives it a new password, drops connections`;
  expect(run.shown).toEqual([`${consequence}: a change of branchId, unless the value stays the same`]);
  const next = startRun();
  const parentId = (await startRun().create('branch', 'other', { projectId })).id;
  // The new branch comes first.
  await next.preview(branch, { projectId, parentId, allowDataLoss: true }, { createsBeforeDelete: true });
  await next.preview(role, { ...declared, branchId: unknownValue });
  expect(next.shown.at(-1)).toBe(`${consequence}: its branch is replaced`);
});

describe('a move to a branch that has an endpoint', () => {
  it('is refused in the preview, which names that one, until it has moved', async () => {
    const { emulator, startRun, run, on, projectId, feature } = await startProgram();
    const [target, spare] = [emulator.createBranch(projectId).id, emulator.createBranch(projectId).id];
    const endpoint = await startRun().create('endpoint', 'e', on(feature));
    const holder = await startRun().create('endpoint', 'holder', on(target, { type: 'read_only' }));
    const { message } = await errorOf(run.preview(endpoint, on(target)));
    expect(message).toContain(`on which endpoint ${holder.id} is (read_only, active)`);
    expect(message).toContain('deletes run last');
    // In the order that dependsOn gives.
    const next = startRun();
    await next.update(holder, on(spare, { type: 'read_only' }));
    await next.update(endpoint, on(target));
    expect(emulator.endpoints(projectId).find(({ id }) => id === endpoint.id)?.branch_id).toBe(target);
  });

  it('names what a killed replacement has left there, to be deleted', async () => {
    const { emulator, startRun, run, on, projectId, feature } = await startProgram();
    const target = emulator.createBranch(projectId).id;
    const replica = { type: 'read_only' };
    const endpoint = await startRun().create('endpoint', 'e', on(feature, { ...replica, name: 'api' }));
    const left = await startRun().create('endpoint', 'e', on(target, replica));
    const { message } = await errorOf(run.preview(endpoint, on(target, { ...replica, name: 'api' })));
    expect(message).toContain(`Nothing was changed. On it, endpoint ${left.id} (created `);
    expect(message).toContain(`\`postgres-compute endpoints delete ${left.id} --project`);
  });

  it('is refused where another endpoint of the program arrives as well', async () => {
    const { emulator, startRun, run, on, projectId, feature } = await startProgram();
    const target = emulator.createBranch(projectId).id;
    const endpoint = await startRun().create('endpoint', 'e', on(feature));
    const replica = await startRun().create('endpoint', 'r', on(feature, { type: 'read_only' }));
    await run.preview(endpoint, on(target));
    const { message } = await errorOf(run.preview(replica, on(target, { type: 'read_only' })));
    expect(message).toContain(`where ${urnOf('e')} is to be in the same update`);
    const beside = startRun();
    await beside.check('endpoint', 'new', on(target, { type: 'read_only' }));
    expect((await errorOf(beside.preview(endpoint, on(target)))).message).toContain(urnOf('new'));
    // As advised: one moves, and a later update creates the other.
    await startRun().update(endpoint, on(target));
    await startRun().create('endpoint', 'r2', on(target, { type: 'read_only' }));
  });

  it('is refused where another one follows to the branch that comes first', async () => {
    const { startRun, run, on, projectId, feature } = await startProgram();
    const replica = { type: 'read_only' };
    const branch = await startRun().create('branch', 'b', { projectId, allowDataLoss: true });
    const endpoint = await startRun().create('endpoint', 'e', on(branch.id));
    const follower = await startRun().create('endpoint', 'r', on(branch.id, replica));
    const other = await startRun().create('endpoint', 'o', on(feature, replica));
    await run.preview(branch, { ...branch.inputs, parentId: feature });
    await run.preview(endpoint, on(unknownValue));
    await run.preview(other, on(unknownValue, replica));
    const { message } = await errorOf(run.preview(follower, on(unknownValue, replica)));
    expect(message).toContain(`this endpoint and ${urnOf('e')} can't both move to the new one`);
  });

  it('is refused for a second read_write endpoint after a replica', async () => {
    const { run, on, feature } = await startProgram();
    await run.check('endpoint', 'r', on(feature, { type: 'read_only' }));
    await run.check('endpoint', 'first', on(feature));
    const { message } = await errorOf(run.check('endpoint', 'second', on(feature)));
    expect(message).toContain(`is that of ${urnOf('first')} too`);
  });

  it('is refused for a second read_write endpoint beside one in state', async () => {
    const { startRun, run, on, feature } = await startProgram();
    const endpoint = await startRun().create('endpoint', 'first', on(feature));
    await run.preview(endpoint, on(feature));
    const { message } = await errorOf(run.check('endpoint', 'second', on(feature)));
    expect(message).toContain(`is that of ${urnOf('first')} too`);
    // In the other order, the service shows that one.
    const other = startRun().check('endpoint', 'second', on(feature));
    expect((await errorOf(other)).message).toContain(`already has a read_write endpoint: ${endpoint.id}`);
  });

  it('is possible once the holder is replaced on another branch', async () => {
    const { emulator, startRun, run, on, projectId, feature } = await startProgram();
    const [target, spare] = [emulator.createBranch(projectId).id, emulator.createBranch(projectId).id];
    const endpoint = await startRun().create('endpoint', 'e', on(feature));
    const holder = await startRun().create('endpoint', 'holder', on(target, { type: 'read_only' }));
    await run.preview(holder, on(spare));
    expect((await run.preview(endpoint, on(target))).changes).toEqual(['branchId']);
  });
});

it('the rename of a branch to a taken name is refused in the preview', async () => {
  const { startRun, run, projectId } = await startProgram();
  const a = await startRun().create('branch', 'a', { projectId, name: 'x' });
  const b = await startRun().create('branch', 'b', { projectId, name: 'y' });
  const { message } = await errorOf(run.preview(b, { projectId, name: 'x' }));
  expect(message).toContain(`the project already has a branch of that name, ${a.id}`);
  const next = startRun();
  await next.update(a, { projectId, name: 'z' });
  expect((await next.update(b, { projectId, name: 'x' })).outputs.name).toBe('x');
});

it('the rename of a branch that a replacement has deleted is not refused', async () => {
  const { emulator, startRun, run, projectId } = await startProgram();
  const b = await startRun().create('branch', 'b', { projectId, name: 'y' });
  await startRun().delete(b);
  emulator.createBranch(projectId, { name: 'x' });
  expect((await run.preview(b, { projectId, name: 'x', adopt: true })).changes).toContain('name');
});
