import { describe, expect, it } from 'vitest';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import { errorOf } from '../support/failure';
import { startEngineRuns } from '../support/start-engine-run';
import { urnOf } from '../support/start-service';
import { until } from '../support/virtual-world';

async function startProgram() {
  const ground = await startEngineRuns();
  const { emulator, project, branch, startRun } = ground;
  const projectId = project.id;
  const on = (branchId: string, args: object = {}) => ({ projectId, branchId, type: 'read_write', ...args });
  return { ...ground, emulator, projectId, feature: branch.id, on, run: startRun() };
}

describe('a replacement does not begin if its create is bound to fail', () => {
  it('because the new project has no such branch', async () => {
    const { emulator, startRun, run, on, feature } = await startProgram();
    const endpoint = await startRun().create('endpoint', 'e', on(feature));
    const projectId = emulator.createProject({ name: 'other' }).id;
    const { message } = await errorOf(run.preview(endpoint, on(feature, { projectId })));
    expect(message).toBe(`is not a branch of project ${projectId}`);
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
    // A forced replacement is checked like a create, and its delete asks.
    const forced = startRun();
    await forced.check('endpoint', 'e', on(target, after));
    const { message } = await errorOf(forced.delete(endpoint));
    expect(message).toContain('its replacement could not be created, so nothing was deleted');
    expect(emulator.endpoints(projectId).some(({ id }) => id === endpoint.id)).toBe(true);
  });

  it('because the project is in another region', async () => {
    const { startRun, run, on, feature } = await startProgram();
    const endpoint = await startRun().create('endpoint', 'e', on(feature));
    const { message } = await errorOf(run.preview(endpoint, on(feature, { regionId: 'aws-eu-west-1' })));
    expect(message).toContain('is in region local-east-1, and all its endpoints have to be there');
  });

  it('because retainOnDelete leaves a branch of the name', async () => {
    const { startRun, run, projectId, feature } = await startProgram();
    const retained = { retainsOnDelete: true };
    const branch = await startRun().create('branch', 'b', { projectId, name: 'data' });
    const changed = { projectId, name: 'data', parentId: feature, allowDataLoss: true };
    const { message } = await errorOf(run.preview(branch, changed, retained));
    expect(message).toContain(`retainOnDelete leaves branch ${branch.id} at the service`);
    expect(run.shown.join()).not.toContain('deletes the data');
    const renamed = await startRun().preview(branch, { ...changed, name: 'data-2' }, retained);
    expect(renamed.replaces).toEqual(['parentId']);
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
    // The same goes for a branch that was created from it.
    const child = await startRun().create('branch', 'child', { projectId, parentId: branch.id });
    const follows = { projectId, parentId: unknownValue, allowDataLoss: true };
    await run.replaceEarly(child, follows);
    expect((await errorOf(run.check('branch', 'child', follows))).message).toContain(`in project ${other}`);
  });

  it('and the error does not show a secret that only the replacement has', async () => {
    const { emulator, startRun, run, projectId } = await startProgram();
    const branch = await startRun().create('branch', 'b', { projectId, name: 'data' });
    const renamed = { projectId, name: 'canary-name' };
    await run.check('branch', 'b', renamed, undefined, { secretNames: ['name'] });
    emulator.createBranch(projectId, { name: 'canary-name' });
    expect((await errorOf(run.delete(branch))).message).toMatch(
      /nothing was deleted: create of branch "\*\*\*"/,
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

it('a move to a branch of no such project is refused in the preview', async () => {
  const { startRun, run, on, feature } = await startProgram();
  const endpoint = await startRun().create('endpoint', 'e', on(feature));
  const { message } = await errorOf(run.preview(endpoint, on('br-elsewhere')));
  expect(message).toMatch(/branchId is not a branch of project \S+\. Nothing was changed/);
});

describe('a move to a branch that has an endpoint', () => {
  it('is refused in the preview, which names that one, until it has moved', async () => {
    const { emulator, startRun, run, on, projectId, feature } = await startProgram();
    const [target, spare] = [emulator.createBranch(projectId).id, emulator.createBranch(projectId).id];
    const endpoint = await startRun().create('endpoint', 'e', on(feature));
    const holder = await startRun().create('endpoint', 'holder', on(target, { type: 'read_only' }));
    const { message } = await errorOf(run.preview(endpoint, on(target)));
    expect(message).toContain(`on which endpoint ${holder.id} is (read_only, active)`);
    expect(message).toContain('updates run before deletes');
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
    expect(message).toContain(`Nothing was changed. On it, endpoint ${left.id} (since `);
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

  it('is refused for a second read_write endpoint after a replica', async () => {
    const { run, on, feature } = await startProgram();
    await run.check('endpoint', 'r', on(feature, { type: 'read_only' }));
    await run.check('endpoint', 'first', on(feature));
    const { message } = await errorOf(run.check('endpoint', 'second', on(feature)));
    expect(message).toContain(`is that of ${urnOf('first')} too`);
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

describe('advice', () => {
  it('names the resource that is to adopt what this one keeps', async () => {
    const { startRun, run, projectId } = await startProgram();
    const one = await startRun().create('branch', 'one', { projectId, name: 'data' });
    await run.check('branch', 'heir', { projectId, name: 'data', adopt: true });
    const { message } = await errorOf(run.preview(one, { projectId, name: 'renamed' }));
    expect(message).toContain(`${one.id} is in state here, and ${urnOf('heir', 'branch')} is to adopt it`);
  });

  it('says that the update frees a name, and following it works', async () => {
    const { startRun, run, projectId } = await startProgram();
    const a = await startRun().create('branch', 'a', { projectId, name: 'x' });
    await run.preview(a, { projectId, name: 'y' });
    await run.check('branch', 'b', { projectId, name: 'x' });
    expect(run.shown.join()).toContain(`With its resource (${urnOf('a', 'branch')}) in \`dependsOn\``);
    const next = startRun();
    await next.update(a, { projectId, name: 'y' });
    expect((await next.create('branch', 'b', { projectId, name: 'x' })).id).not.toBe(a.id);
  });

  it('says that adopt finds nothing, and what a forced replacement deletes', async () => {
    const { startRun, run, projectId, on, feature } = await startProgram();
    await startRun().create('branch', 'a', { projectId, name: 'x' });
    await run.check('branch', 'b', { projectId, name: 'y', adopt: true });
    await run.check('endpoint', 'e', on(feature, { adopt: true }));
    expect(run.shown.join('\n')).toMatch(/adopt finds no branch.*\n.*adopt finds no endpoint/);
    await run.check('branch', 'a', { projectId, name: 'x', adopt: true });
    expect(run.shown.join()).toContain(
      'If this is a forced replacement (--replace, taint), it first deletes',
    );
  });

  it('foretells a restart on a branch that the update takes over, too', async () => {
    const { emulator, run, projectId, on } = await startProgram();
    const branch = emulator.createBranch(projectId, { name: 'main-2' });
    const size = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 };
    const { id } = emulator.createEndpoint(projectId, { branch_id: branch.id, type: 'read_write', ...size });
    await run.check('branch', 'b', { projectId, name: 'main-2', adopt: true });
    const larger = { adopt: true, allowRestart: false, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 };
    await run.check('endpoint', 'e', on(unknownValue, larger));
    expect(run.shown.join('\n')).toMatch(
      new RegExp(`restarts the compute, drops connections.*on branch ${branch.id}.*${id}`),
    );
    expect(run.shown.join('\n')).toMatch(/`pulumi up` stops there, because allowRestart is false/);
  });

  it('refuses an ambiguous adopter, and two adopters of one endpoint', async () => {
    const { emulator, run, startRun, projectId, on, feature } = await startProgram();
    const other = emulator.createBranch(projectId).id;
    const first = emulator.createEndpoint(projectId, { branch_id: feature, type: 'read_write', name: 'api' });
    const second = emulator.createEndpoint(projectId, { branch_id: other, type: 'read_write' });
    const unclear = await errorOf(run.check('endpoint', 'c', on(other, { name: 'api', adopt: true })));
    expect(unclear.message).toContain(`can mean two endpoints: ${first.id} by the name`);
    expect(unclear.message).toContain(second.id);
    const next = startRun();
    await next.check('endpoint', 'a', on(feature, { name: 'api', adopt: true }));
    const rival = await errorOf(next.check('endpoint', 'b', on(feature, { adopt: true })));
    expect(rival.message).toContain(`${first.id}, and so would ${urnOf('a')}`);
  });
});

it('what lacks a value because another resource has failed says so', async () => {
  const { run, on, projectId, emulator } = await startProgram();
  emulator.inject({ match: { method: 'POST' }, effect: { kind: 'status', status: 422 } });
  const { branchId: _, ...lacking } = on('');
  const required = await errorOf(run.check('endpoint', 'e', lacking));
  expect(required.message).toContain('is required');
  await errorOf(run.create('branch', 'b', { projectId, name: 'data' }));
  const follows = await errorOf(run.check('endpoint', 'e', lacking));
  expect(follows.message).toBe(
    'has no value, because another resource of this program has failed: see its error',
  );
});

it('the preview names the endpoint that has the name, on an unknown branch', async () => {
  const { run, on, projectId, feature, emulator } = await startProgram();
  const { id } = emulator.createEndpoint(projectId, { branch_id: feature, type: 'read_only', name: 'api' });
  await run.check('endpoint', 'e', on(unknownValue, { name: 'api' }));
  expect(run.shown.join()).toMatch(
    new RegExp(`already has an endpoint of that name, ${id} .*forced replacement .* first deletes`),
  );
});
