import { expect, it } from 'vitest';
import { errorOf } from '../support/failure';
import { startProgram } from '../support/start-program';
import { urnOf } from '../support/start-service';

// Several resources of a program that mean one endpoint, and several endpoints that one resource could mean.

type Run = Awaited<ReturnType<typeof startProgram>>['run'];

const replica = { type: 'read_only' };
const derivedName = async (run: Run, inputs: object) =>
  String((await run.check('endpoint', 'api', { ...inputs })).inputs.name);

it('an update reports a replica of the derived name, and how to delete it', async () => {
  const { emulator, startRun, run, on, projectId, feature } = await startProgram();
  const state = await startRun().create('endpoint', 'api', on(feature, { ...replica, name: 'api' }));
  // By a request of a killed create that arrives late.
  const name = await derivedName(startRun(), on(feature, replica));
  const late = emulator.createEndpoint(projectId, { branch_id: feature, type: 'read_only', name });
  await run.update(state, on(feature, { ...replica, name: 'api', suspendTimeoutSeconds: 600 }));
  expect(run.shown.join()).toContain(`endpoint ${late.id}`);
  expect(run.shown.join()).toContain(
    `\`postgres-compute endpoints delete ${late.id} --project ${projectId}\``,
  );
  expect(emulator.endpoints().map(({ id }) => id)).toContain(late.id);
});

it('a replica that another resource has in state is not reported', async () => {
  const { startRun, run, on, feature } = await startProgram();
  const inputs = on(feature, { ...replica, name: 'fresh' });
  const kept = await startRun().create('endpoint', 'api', on(feature, replica));
  const state = await startRun().create('endpoint', 'other', inputs);
  // The program has renamed both with aliases.
  await run.preview({ ...kept, name: 'renamed' }, on(feature, replica));
  await run.update({ ...state, name: 'api' }, { ...inputs, suspendTimeoutSeconds: 600 });
  expect(run.shown.join()).not.toContain('derived name');
});

it('no duplicate is reported that a create takes over for one that is gone', async () => {
  const { emulator, startRun, run, on, feature } = await startProgram();
  const gone = await startRun().create('endpoint', 'api', on(feature));
  emulator.deleteEndpoint(gone.id);
  await startRun().create('endpoint', 'api', on(feature));
  await run.preview(gone, on(feature, { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 }));
  expect(run.shown.join()).toContain('no longer exists');
  expect(run.shown.join()).not.toContain('duplicate');
});

it('a new resource is refused whose derived name a renamed one has', async () => {
  const { startRun, run, on, feature } = await startProgram();
  const name = await derivedName(startRun(), on(feature, replica));
  await run.check('endpoint', 'renamed', on(feature, { ...replica, name }));
  const fresh = errorOf(run.check('endpoint', 'api', on(feature, { ...replica, name: 'fresh' })));
  expect((await fresh).message).toContain(urnOf('renamed'));
});

it('a create on a branch that is being left suggests dependsOn', async () => {
  const { emulator, startRun, run, on, projectId, feature } = await startProgram();
  const state = await startRun().create('endpoint', 'first', on(feature));
  await run.preview(state, on(emulator.createBranch(projectId).id));
  const { message } = await errorOf(run.create('endpoint', 'second', on(feature)));
  expect(message).toMatch(/If it moves or replaces \S+, add that resource to `dependsOn` of this one/);
});
