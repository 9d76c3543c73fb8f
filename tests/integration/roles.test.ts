import { expect, it } from 'vitest';
import { ControlApi } from '../../provider/src/control-api/control-api';
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

it('a preview refuses a role that the branch has, unless with adopt', async () => {
  const { startRun, project, emulator } = await startEngineRuns();
  const [main] = emulator.branches(project.id).filter((each) => each.default);
  const declared = { projectId: project.id, branchId: main?.id ?? '', name: 'app_owner' };
  const refused = startRun().check('role', 'r', declared);
  expect((await errorOf(refused)).message).toContain('To take it over, set adopt: true');
  const run = startRun();
  await run.check('role', 'r', { ...declared, adopt: true });
  expect(run.shown.join('')).toContain('adopt takes over role');
});

it.each(['app', 'app_owner'])('role %s is there again after a reset of its branch', async (name) => {
  const { startRun, project, emulator } = await startEngineRuns();
  const projectId = project.id;
  const first = startRun();
  const branch = await first.create('branch', 'b', { projectId, resetTriggers: { commit: 'a' } });
  const declared = { projectId, branchId: branch.id, name, adopt: true };
  const role = await first.create('role', 'r', declared);
  const run = startRun();
  await run.update(branch, { projectId, resetTriggers: { commit: 'b' }, allowDataLoss: true });
  const after = await run.update(role, declared);
  expect(run.shown.join('')).toContain('the reset of its branch replaces the roles');
  const api = new ControlApi({ baseUrl: emulator.url, apiKey: emulator.apiKey });
  expect(after.outputs.password).toBe(await api.revealPassword({ projectId, branchId: branch.id, name }));
  expect(await startRun().preview(after, declared)).toMatchObject({ hasChanges: false });
});
