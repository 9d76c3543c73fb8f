import type { Endpoint } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { collectDiagnostics } from '../support/diagnostics';
import { runCreate, runUpdate } from '../support/engine';
import { startEngineRuns } from '../support/start-engine-run';
import { idsOf, ownEndpoints, type Service, startService, urnOf } from '../support/start-service';

// Several resources of a program that mean one endpoint, and several endpoints that one resource could mean.

const shown = collectDiagnostics();

const derivedName = async (service: Service, inputs: StoredInputs) => {
  const { name: _, ...nameless } = inputs;
  const checked = await service.startProvider().check({}, nameless);
  return (checked.inputs as StoredInputs).name as string;
};

it('an update reports a replica of the derived name, and how to delete it', async () => {
  const service = await startService();
  const { emulator, project, branch } = service;
  const program = service.declare({ type: 'read_only', name: 'api' });
  const state = await runCreate(service.startProvider(), program);
  expect(shown.join('')).not.toContain('derived name');
  // By a request of a killed create that arrives late.
  const name = await derivedName(service, program);
  const late = emulator.createEndpoint(project.id, { branch_id: branch.id, type: 'read_only', name });
  await runUpdate(service.startProvider(), state, { ...program, suspendTimeoutSeconds: 600 });
  expect(shown.join('')).toContain(`warning: endpoint ${late.id}`);
  expect(shown.join('')).toContain(
    `\`postgres-compute endpoints delete ${late.id} --project ${project.id}\``,
  );
  expect(idsOf(service)).toEqual([state.id, late.id]);
});

it('a replica that another resource has in state is not reported', async () => {
  const service = await startService({ operationMs: 30 });
  const program = service.declare({ type: 'read_only' });
  const inputs = { ...program, name: await derivedName(service, program) };
  const kept = await runCreate(service.provider, inputs);
  const { branch_id, type, name = '' } = ownEndpoints(service)[0] as Endpoint;
  const place = { branch_id, type, name };
  const { id } = service.emulator.createEndpoint(service.project.id, place, { ageMs: 60_000 });
  // The program has renamed the resource, with an alias, and declares a new one of the old name.
  const nextRun = service.startProvider();
  const renamed = { ...inputs, __urn: urnOf('renamed') };
  await nextRun.check(kept.inputs, renamed);
  await nextRun.diff(kept.id, kept.outs, renamed);
  expect((await nextRun.create(inputs)).id).toBe(id);
  expect(shown.join('')).not.toContain('derived name');
  expect(idsOf(service).sort()).toEqual([id, kept.id].sort());
});

it('no duplicate is reported that a create takes over for one that is gone', async () => {
  const { startRun, emulator, project, branch } = await startEngineRuns();
  const inputs = { projectId: project.id, branchId: branch.id, type: 'read_write' };
  const gone = await startRun().create('endpoint', 'api', inputs);
  emulator.deleteEndpoint(gone.id);
  await startRun().create('endpoint', 'api', inputs);
  const run = startRun();
  await run.preview(gone, { ...inputs, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 });
  expect(run.shown.join()).toContain('no longer exists');
  expect(run.shown.join()).not.toContain('duplicate');
});

it('a rename by aliases is an update without requests', async () => {
  const service = await startService();
  const inputs = service.declare();
  const { id, outs } = await runCreate(service.provider, inputs);
  const nextRun = service.startProvider();
  const renamed = { ...inputs, __urn: urnOf('renamed') };
  await nextRun.check(inputs, renamed);
  const sent = service.emulator.requests().length;
  expect(await nextRun.diff(id, outs, renamed)).toMatchObject({ changes: true, replaces: [] });
  const updated = await nextRun.update(id, outs, renamed);
  expect(updated.outs?.__urn).toBe(urnOf('renamed'));
  expect((await nextRun.diff(id, updated.outs as StoredOutputs, renamed)).changes).toBe(false);
  expect(service.emulator.requests()).toHaveLength(sent);
});

describe('a new resource with the old name of a renamed one', () => {
  it('is refused with its own name: its create would adopt the endpoint', async () => {
    const service = await startService();
    const declared = service.declare({ type: 'read_only' });
    const renamed = { ...declared, name: await derivedName(service, declared), __urn: urnOf('renamed') };
    const { provider } = service;
    await provider.check(renamed, { ...declared, __urn: urnOf('renamed') });
    const { failures } = await provider.check({}, { ...declared, name: 'fresh' });
    expect(failures).toMatchObject([{ property: 'name', reason: expect.stringContaining(urnOf('renamed')) }]);
  });
});

it('a kept endpoint is not adopted by another resource of its name', async () => {
  const service = await startService();
  const inputs = service.declare({ name: 'api', __urn: urnOf('first') });
  const { id, outs } = await runCreate(service.startProvider(), inputs);
  const nextRun = service.startProvider();
  await nextRun.check(inputs, inputs);
  await nextRun.diff(id, outs, inputs);
  await expect(nextRun.create({ ...inputs, adopt: true, __urn: urnOf('second') })).rejects.toThrow(
    /belongs to urn:.*::first/,
  );
});

it('a create on a branch that is being left suggests dependsOn', async () => {
  const service = await startService();
  const first = service.declare({ name: 'first' });
  const state = await runCreate(service.startProvider(), first);
  const target = service.emulator.createBranch(service.project.id);
  const run = service.startProvider();
  const moved = { ...first, branchId: target.id };
  const { inputs } = await run.check({ ...state.inputs }, { ...moved });
  await run.diff(state.id, state.outs, inputs as typeof moved);
  await expect(run.create(service.declare({ name: 'second' }))).rejects.toThrow(
    /This update moves it to another branch: add its resource \(urn:\S+::first\) to `dependsOn`/,
  );
});
