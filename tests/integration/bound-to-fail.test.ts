import { describe, expect, it } from 'vitest';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import { errorOf } from '../support/failure';
import { startProgram } from '../support/start-program';
import { urnOf } from '../support/start-service';
import { until } from '../support/virtual-world';

describe('a replacement does not begin if its create is bound to fail', () => {
  it('because the new project has no such branch', async () => {
    const { emulator, startRun, run, on, feature } = await startProgram();
    const endpoint = await startRun().create('endpoint', 'e', on(feature));
    const projectId = emulator.createProject({ name: 'other' }).id;
    const { message } = await errorOf(run.preview(endpoint, on(feature, { projectId })));
    expect(message).toBe(`is not the id of a branch of project ${projectId}`);
  });

  it.each([
    ['because a read_write endpoint is on its branch', { type: 'read_only' }, {}],
    ['because its name is taken', { type: 'read_write', name: 'api' }, { name: 'api' }],
  ])('%s', async (_why, before, after) => {
    const { emulator, startRun, run, on, projectId, feature } = await startProgram();
    const endpoint = await startRun().create('endpoint', 'e', on(feature, before));
    const other = emulator.createBranch(projectId);
    const target = 'name' in after ? emulator.createBranch(projectId).id : other.id;
    const holder = emulator.createEndpoint(projectId, { branch_id: other.id, type: 'read_write', ...after });
    const changed = on(target, { ...after, provisioner: 'k8s-pod' });
    expect((await errorOf(run.preview(endpoint, changed))).message).toContain(holder.id);
    // A forced replacement is checked like a create. If that can't know, its delete asks.
    const forced = startRun();
    const replace = async () => {
      await forced.check('endpoint', 'e', on(target, after));
      await forced.delete(endpoint);
    };
    expect((await errorOf(replace())).message).toContain(holder.id);
    expect(emulator.endpoints(projectId).some(({ id }) => id === endpoint.id)).toBe(true);
  });

  it('because others have deleted its branch, which is in state', async () => {
    const { startRun, run, on, projectId, feature } = await startProgram();
    const branch = await startRun().create('branch', 'b', { projectId });
    const endpoint = await startRun().create('endpoint', 'e', on(feature));
    await startRun().delete(branch);
    await run.preview(branch, branch.inputs);
    const { message } = await errorOf(run.preview(endpoint, on(branch.id)));
    expect(message).toContain('it no longer exists. `pulumi up --refresh` creates it again');
  });

  it('because its branch, given as text, is replaced, too', async () => {
    const { startRun, run, on, projectId, feature } = await startProgram();
    const branch = await startRun().create('branch', 'b', { projectId, name: 'data' });
    const endpoint = await startRun().create('endpoint', 'e', on(branch.id, { type: 'read_only' }));
    await run.preview(branch, { projectId, name: 'data', parentId: feature, allowDataLoss: true });
    const changed = run.preview(endpoint, on(branch.id, { type: 'read_write' }));
    expect((await errorOf(changed)).message).toContain('is replaced by this update');
    // With --continue-on-error, the engine passes the old id as the output of a branch that it has failed to replace.
    await errorOf(run.delete(branch));
    const again = run.check('endpoint', 'e', on(branch.id, { type: 'read_write' }));
    expect((await errorOf(again)).message).toContain('has failed to replace: see its error');
  });

  it('because the project is in another region', async () => {
    const { startRun, run, on, feature } = await startProgram();
    const endpoint = await startRun().create('endpoint', 'e', on(feature));
    const { message } = await errorOf(run.preview(endpoint, on(feature, { regionId: 'aws-eu-west-1' })));
    expect(message).toContain('is in region local-east-1, and all its endpoints have to be there');
  });

  it('because retainOnDelete leaves a branch of the name', async () => {
    const { startRun, run, on, projectId, feature } = await startProgram();
    const retained = { retainsOnDelete: true };
    const branch = await startRun().create('branch', 'b', { projectId, name: 'data' });
    const changed = { projectId, name: 'data', parentId: feature, allowDataLoss: true };
    const { message } = await errorOf(run.preview(branch, changed, retained));
    expect(message).toContain(`retainOnDelete leaves branch ${branch.id} at the service`);
    expect(run.shown.join()).not.toContain('deletes the data');
    const other = startRun();
    const renamed = await other.preview(branch, { ...changed, name: 'data-2' }, retained);
    expect(renamed.replaces).toEqual(['parentId']);
    // An endpoint can still be created on the old one.
    await other.check('endpoint', 'e', on(branch.id));
  });

  it('because retainOnDelete leaves the read_write endpoint of its branch', async () => {
    const { startRun, run, on, feature } = await startProgram();
    const endpoint = await startRun().create('endpoint', 'e', on(feature));
    const changed = run.preview(endpoint, on(feature, { provisioner: 'k8s-pod' }), { retainsOnDelete: true });
    expect((await errorOf(changed)).message).toContain(`read_write endpoint of branch ${feature} is`);
  });

  it('because a forced one would leave the old branch under its name', async () => {
    const { startRun, run, projectId } = await startProgram();
    const branch = await startRun().create('branch', 'b', { projectId, name: 'data' });
    const retained = { retainsOnDelete: true };
    const forced = run.check('branch', 'b', { projectId, name: 'data' }, undefined, retained);
    expect((await errorOf(forced)).message).toMatch(
      new RegExp(`bound to fail: .*${branch.id}.*retainOnDelete`),
    );
  });

  it('because the branch is to be its own parent', async () => {
    const { startRun, run, projectId } = await startProgram();
    const branch = await startRun().create('branch', 'b', { projectId, name: 'data' });
    const changed = { projectId, name: 'data', parentId: branch.id, allowDataLoss: true };
    expect((await errorOf(run.preview(branch, changed))).message).toContain('its parent is the branch');
  });

  it('because its branch moves to another project without it', async () => {
    const { emulator, startRun, run, projectId, on } = await startProgram();
    const branch = await startRun().create('branch', 'b', { projectId, name: 'data' });
    const endpoint = await startRun().create('endpoint', 'e', on(branch.id));
    const other = emulator.createProject({ name: 'other' }).id;
    await run.preview(branch, { projectId: other, name: 'data', allowDataLoss: true });
    await run.replaceEarly(endpoint, on(unknownValue));
    const { message } = await errorOf(run.check('endpoint', 'e', on(unknownValue)));
    expect(message).toContain(`its branch is replaced in project ${other}`);
    await run.check('endpoint', 'e', on(unknownValue, { projectId: other }));
    const role = await startRun().create('role', 'r', { projectId, branchId: branch.id, name: 'app' });
    const stays = { projectId, branchId: unknownValue, name: 'app' };
    await run.replaceEarly(role, stays);
    expect((await errorOf(run.check('role', 'r', stays))).message).toContain(`in project ${other}`);
    // The same goes for a branch that was created from it.
    const child = await startRun().create('branch', 'child', { projectId, parentId: branch.id });
    const follows = { projectId, parentId: unknownValue, allowDataLoss: true };
    await run.replaceEarly(child, follows);
    expect((await errorOf(run.check('branch', 'child', follows))).message).toContain(`in project ${other}`);
  });

  it('and the error does not show a secret that only the replacement has', async () => {
    const { emulator, startRun, run, projectId } = await startProgram();
    const branch = await startRun().create('branch', 'b', { projectId, name: 'data' });
    const renamed = { projectId, name: 'canary-name', allowDataLoss: true };
    await run.check('branch', 'b', renamed, undefined, { secretNames: ['name'] });
    emulator.createBranch(projectId, { name: 'canary-name' });
    expect((await errorOf(run.delete(branch))).message).toMatch(
      /it was not deleted: create of branch "\*\*\*"/,
    );
  });

  it('because retainOnDelete would leave the endpoint of a replaced branch', async () => {
    const { startRun, run, projectId, on, feature } = await startProgram();
    const branch = await startRun().create('branch', 'b', { projectId, name: 'data' });
    const endpoint = await startRun().create('endpoint', 'e', on(branch.id));
    await run.preview(branch, { projectId, name: 'data', parentId: feature, allowDataLoss: true });
    const retained = { retainsOnDelete: true };
    const { message } = await errorOf(run.replaceEarly(endpoint, on(unknownValue), retained));
    expect(message).toContain(`retainOnDelete would leave endpoint ${endpoint.id}`);
  });
});

it('a branch gets no child in the update that gives it an expiry', async () => {
  const { startRun, run, projectId } = await startProgram();
  const parent = await startRun().create('branch', 'parent', { projectId });
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
  await run.preview(parent, { projectId, expiresAt });
  const child = run.check('branch', 'child', { projectId, parentId: parent.id });
  expect((await errorOf(child)).message).toContain(`expires at ${expiresAt}, so it can have no children`);
});

it('retainOnDelete leaves no failed branch under the name of a new one', async () => {
  const { emulator, startRun, run, projectId } = await startProgram();
  emulator.inject({
    match: { action: 'create_branch' },
    effect: { kind: 'operation-fails', status: 'failed' },
  });
  const inputs = { projectId, name: 'data' };
  const failed = await startRun()
    .create('branch', 'b', inputs)
    .catch((error) => error);
  const branch = { ...failed, name: 'b', kind: 'branch', inputs };
  const { message } = await errorOf(run.preview(branch, inputs, { retainsOnDelete: true }));
  expect(message).toContain('Delete it at the service, and run `pulumi up --refresh`');
});

describe('reverting heals a replacement that was cut off', () => {
  it.each([
    ['after the delete', false],
    ['of a branch that is retained', true],
  ])('%s', async (_when, isRetained) => {
    const { emulator, startRun, run, projectId } = await startProgram();
    const inputs = { projectId, name: 'data' };
    const branch = await startRun().create('branch', 'b', inputs);
    if (!isRetained) await startRun().delete(branch);
    const options = { retainsOnDelete: isRetained };
    // The engine compares first, and creates what it has marked as deleted.
    expect((await run.preview(branch, inputs, options)).hasChanges).toBe(false);
    await run.check('branch', 'b', inputs, undefined, options);
    const { id } = await run.create('branch', 'b', inputs);
    expect(id === branch.id).toBe(isRetained);
    expect(emulator.branches(projectId).filter(({ name }) => name === 'data')).toHaveLength(1);
  });
});

it('a replacement that was cut off after the delete needs no permission', async () => {
  const { startRun, run, projectId } = await startProgram();
  const branch = await startRun().create('branch', 'b', { projectId, name: 'data' });
  await startRun().delete(branch);
  const changed = { projectId, name: 'data', protected: true };
  expect((await run.preview(branch, changed)).hasChanges).toBe(true);
  expect((await run.create('branch', 'b', changed)).outputs.protected).toBe(true);
});

it('allowRestart: false holds when an option replaces an active endpoint', async () => {
  const ground = await startProgram();
  const { emulator, startRun, run, on, feature } = ground;
  const args = on(feature, { allowRestart: false });
  const endpoint = await startRun().create('endpoint', 'e', { ...args, name: 'api' });
  // The engine checks it twice, in the preview, too.
  await run.check('endpoint', 'e', { ...args, name: 'api' }, endpoint);
  const { message } = await errorOf(run.check('endpoint', 'e', { ...args, name: 'api' }));
  expect(message).toContain('drops connections (active now): a resource option (replaceWith');
  await ground.send('POST', `${endpoint.id}/suspend`);
  const now = () => emulator.endpoints().find(({ id }) => id === endpoint.id);
  await until(() => now()?.current_state === 'idle');
  await run.check('endpoint', 'e', { ...args, name: 'api' });
  await run.delete(endpoint);
  expect(now()).toBeUndefined();
});

it.each([
  ['endpoint', 'replaces the endpoint, changes its host, drops connections (active now)'],
  ['branch', 'deletes the data of the branch, with its endpoints'],
] as const)('a %s that an option replaces shows what that does', async (kind, consequence) => {
  const { startRun, run, on, feature, projectId } = await startProgram();
  const inputs = kind === 'endpoint' ? on(feature) : { projectId, name: 'data', allowDataLoss: true };
  const held = await startRun().create(kind, 'x', inputs);
  // An import declares no name that endpoints share.
  await run.check(kind, 'x', inputs, { ...held, inputs });
  expect(run.shown.join()).toBe('');
  await run.check(kind, 'x', inputs);
  expect(run.shown.join()).toContain(`${consequence}: a resource option (replaceWith`);
});

it('two resources with one id in state are refused, even a replaced one', async () => {
  const { startRun, run, on, feature } = await startProgram();
  const endpoint = await startRun().create('endpoint', 'e', on(feature));
  const twin = { ...endpoint, name: 'twin', inputs: on(feature, { name: 'twin' }) };
  await run.preview(endpoint, on(feature, { type: 'read_only' }));
  const { message } = await errorOf(run.preview(twin, on(feature, { name: 'twin' })));
  expect(message).toContain(`already belongs to ${urnOf('e')} in the same state`);
  const other = startRun();
  await other.preview(twin, on(feature, { name: 'twin' }));
  const replaced = other.preview(endpoint, on(feature, { type: 'read_only' }));
  expect((await errorOf(replaced)).message).toContain(`already belongs to ${urnOf('twin')}`);
});
