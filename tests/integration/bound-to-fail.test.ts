import { describe, expect, it } from 'vitest';
import { errorOf } from '../support/failure';
import { startEngineRuns } from '../support/start-engine-run';
import { send, urnOf } from '../support/start-service';

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
    expect(message).toContain(`project ${projectId} has no branch ${feature}`);
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
    const changed = on(target, { ...after, regionId: 'aws-eu-west-1' });
    expect((await errorOf(run.preview(endpoint, changed))).message).toContain(holder.id);
    // A forced replacement is checked like a create, and its delete asks.
    const forced = startRun();
    await forced.check('endpoint', 'e', on(target, after));
    const { message } = await errorOf(forced.delete(endpoint));
    expect(message).toContain('its replacement could not be created, so nothing was deleted');
    expect(emulator.endpoints(projectId).some(({ id }) => id === endpoint.id)).toBe(true);
  });

  it('because retainOnDelete leaves a branch of the name, until the name changes too', async () => {
    const { startRun, run, projectId, feature } = await startProgram();
    const retained = { retainsOnDelete: true };
    const branch = await startRun().create('branch', 'b', { projectId, name: 'data' });
    const changed = { projectId, name: 'data', parentId: feature, allowDataLoss: true };
    const { message } = await errorOf(run.preview(branch, changed, retained));
    expect(message).toContain(`retainOnDelete leaves branch ${branch.id} at the service`);
    expect(run.shown.join()).not.toContain('its data will be deleted');
    const renamed = await startRun().preview(branch, { ...changed, name: 'data-2' }, retained);
    expect(renamed.replaces).toEqual(['parentId']);
  });
});

it('allowRestart: false holds when a resource option replaces an active endpoint, until it is suspended', async () => {
  const ground = await startProgram();
  const { emulator, startRun, run, on, feature } = ground;
  const args = on(feature, { allowRestart: false });
  const endpoint = await startRun().create('endpoint', 'e', { ...args, name: 'api' });
  await run.check('endpoint', 'e', { ...args, name: 'api' }, endpoint);
  await run.check('endpoint', 'e', { ...args, name: 'api' });
  expect((await errorOf(run.delete(endpoint))).message).toContain('a resource option (replaceWith');
  await send(ground, 'POST', `${endpoint.id}/suspend`, {});
  const now = () => emulator.endpoints().find(({ id }) => id === endpoint.id);
  await expect.poll(() => now()?.current_state).toBe('idle');
  await run.delete(endpoint);
  expect(now()).toBeUndefined();
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
});

describe('advice', () => {
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

  it('says that adopt finds nothing, and that a forced replacement deletes what it finds', async () => {
    const { startRun, run, projectId, on, feature } = await startProgram();
    await startRun().create('branch', 'a', { projectId, name: 'x' });
    await run.check('branch', 'b', { projectId, name: 'y', adopt: true });
    await run.check('endpoint', 'e', on(feature, { adopt: true }));
    expect(run.shown.join('\n')).toMatch(/adopt finds no branch.*\n.*adopt finds no endpoint/);
    await run.check('branch', 'a', { projectId, name: 'x', adopt: true });
    expect(run.shown.join()).toContain(
      'A forced replacement of this resource (--replace, taint) first deletes',
    );
  });

  it('refuses an adopter that can mean two endpoints, and two adopters of one', async () => {
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
