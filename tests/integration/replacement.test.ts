import { describe, expect, it } from 'vitest';
import { makeDynamicProviders } from '../../provider/src/dynamic/dynamic-provider';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import { collectDiagnostics } from '../support/diagnostics';
import { type Replacement, runCreate, runReplacement, runUpdate } from '../support/engine';
import { idsOf, ownEndpoints, type Service, startService, urnOf } from '../support/start-service';

const deletesFirst: Replacement[] = [
  { cause: 'forced', deletesFirst: true },
  { cause: 'declared', deletesFirst: true },
];

const shown = collectDiagnostics();

describe.each(deletesFirst)('a $cause replacement that deletes first', (replacement) => {
  it.each([
    ['read_write', undefined],
    ['read_only', undefined],
    ['read_write', 'api'],
    ['read_only', 'api'],
  ] as const)('creates a new %s endpoint (declared name: %s)', async (type, name) => {
    const service = await startService();
    const program = service.declare({ type, ...(name && { name }) });
    const state = await runCreate(service.startProvider(), program);
    const desired = replacement.cause === 'declared' ? { ...program, provisioner: 'k8s-pod' } : program;
    const next = await runReplacement(service.startProvider(), state, desired, replacement);
    expect(next.id).not.toBe(state.id);
    expect(ownEndpoints(service).map(({ id }) => id)).toEqual([next.id]);
    expect(ownEndpoints(service)[0]).toMatchObject({ current_state: 'active', ...(name && { name }) });
  });

  it('creates a new endpoint while lists still show the old one', async () => {
    const service = await startService({ lateListsMs: 150, lateGetsMs: 150 });
    const program = service.declare({ type: 'read_only' });
    const state = await runCreate(service.startProvider(), program);
    const next = await runReplacement(service.startProvider(), state, program, replacement);
    expect(ownEndpoints(service).map(({ id }) => id)).toEqual([next.id]);
    expect(next.id).not.toBe(state.id);
  });
});

it('a replacement that was killed after the delete is finished by the next run', async () => {
  const service = await startService();
  const program = service.declare({ type: 'read_only' });
  const state = await runCreate(service.startProvider(), program);
  const run = service.startProvider();
  await run.check({}, { ...program });
  await run.delete(state.id, state.outs);
  const next = await runCreate(service.startProvider(), program);
  expect(ownEndpoints(service).map(({ id }) => id)).toEqual([next.id]);
});

it('a change of type keeps the declared name in both directions', async () => {
  const service = await startService();
  const replica = service.declare({ type: 'read_only', name: 'api' });
  const state = await runCreate(service.startProvider(), replica);
  const primary = { ...replica, type: 'read_write' as const };
  const declared = { cause: 'declared', deletesFirst: true } as const;
  const next = await runReplacement(service.startProvider(), state, primary, declared);
  expect(ownEndpoints(service)).toMatchObject([{ id: next.id, type: 'read_write', name: 'api' }]);
  const last = await runReplacement(service.startProvider(), next, replica, declared);
  expect(ownEndpoints(service)).toMatchObject([{ id: last.id, type: 'read_only', name: 'api' }]);
});

describe('with deleteBeforeReplace: false', () => {
  const declareReplica = (service: Service) =>
    service.declare({ type: 'read_only', __createsBeforeDelete: true });

  it('a declared replacement creates a new replica under another derived name', async () => {
    const service = await startService();
    const program = declareReplica(service);
    const state = await runCreate(service.startProvider(), program);
    const desired = { ...program, provisioner: 'k8s-pod' };
    const run = service.startProvider();
    const next = await runReplacement(run, state, desired, { cause: 'declared', deletesFirst: false });
    expect(next.id).not.toBe(state.id);
    expect(ownEndpoints(service).map(({ id }) => id)).toEqual([next.id]);
    expect(next.outs.name).not.toBe(state.outs.name);
  });

  it('a replacement without a changed property (replaceWith) creates a new replica too', async () => {
    const service = await startService();
    const program = declareReplica(service);
    const state = await runCreate(service.startProvider(), program);
    const next = await runReplacement(service.startProvider(), state, program, {
      cause: 'declared',
      deletesFirst: false,
    });
    expect(next.id).not.toBe(state.id);
    expect(ownEndpoints(service).map(({ id }) => id)).toEqual([next.id]);
  });

  it('a declared replacement that was killed after the create finds its new replica', async () => {
    const service = await startService();
    const program = declareReplica(service);
    const state = await runCreate(service.startProvider(), program);
    const killed = service.startProvider();
    const { inputs: checked } = await killed.check({ ...state.inputs }, { ...program });
    await killed.diff(state.id, state.outs, checked as typeof program);
    const { inputs } = await killed.check({}, { ...program });
    const created = await killed.create(inputs as typeof program);
    const next = await runReplacement(service.startProvider(), state, program, {
      cause: 'declared',
      deletesFirst: false,
    });
    expect(next.id).toBe(created.id);
    expect(ownEndpoints(service).map(({ id }) => id)).toEqual([created.id]);
  });

  it('a forced replacement keeps the endpoint and reports that', async () => {
    const service = await startService();
    const program = declareReplica(service);
    const state = await runCreate(service.startProvider(), program);
    const next = await runReplacement(service.startProvider(), state, program, {
      cause: 'forced',
      deletesFirst: false,
    });
    expect(next.id).toBe(state.id);
    expect(ownEndpoints(service).map(({ id }) => id)).toEqual([state.id]);
    expect(shown.join('')).toContain(`endpoint ${state.id} was not deleted`);
    expect((await runUpdate(service.startProvider(), next, program)).id).toBe(state.id);
  });
});

it('a forced replacement that was killed after its create finds the new endpoint when it is repeated', async () => {
  const service = await startService();
  const named = await runCreate(service.startProvider(), service.declare({ type: 'read_only', name: 'web' }));
  const program = service.declare({ type: 'read_only', __createsBeforeDelete: true });
  const killed = service.startProvider();
  const { inputs } = await killed.check({}, { ...program });
  const created = await killed.create(inputs as typeof program);
  const forced = { cause: 'forced', deletesFirst: false } as const;
  const next = await runReplacement(service.startProvider(), named, program, forced);
  expect(next.id).toBe(created.id);
  expect(ownEndpoints(service).map(({ id }) => id)).toEqual([created.id]);
});

it('a forced replacement that keeps the endpoint resets arguments that the program no longer declares', async () => {
  const service = await startService();
  const bare = service.declare({ type: 'read_only', __createsBeforeDelete: true });
  const state = await runCreate(service.startProvider(), {
    ...bare,
    suspendTimeoutSeconds: 600,
    pgSettings: { work_mem: '8MB' },
  });
  const forced = { cause: 'forced', deletesFirst: false } as const;
  const next = await runReplacement(service.startProvider(), state, bare, forced);
  const held = ownEndpoints(service);
  expect(held).toMatchObject([{ id: next.id, suspend_timeout_seconds: 0 }]);
  expect(held).toHaveProperty('0.settings.pg_settings', {});
});

it('an endpoint that an interrupted forced replacement has left in state twice survives when the next create fails', async () => {
  const service = await startService();
  const program = service.declare({ type: 'read_only', __createsBeforeDelete: true });
  const { id, outs } = await runCreate(service.startProvider(), program);
  const fault = service.emulator.inject({
    match: { method: 'GET', path: '/projects/:p/endpoints' },
    times: 'always',
    effect: { kind: 'status', status: 403 },
  });
  const run = service.startProvider();
  await expect(runCreate(run, program)).rejects.toThrow('403 Forbidden');
  fault.clear();
  // With --continue-on-error the engine goes on to the copy that is to be deleted.
  await expect(run.delete(id, outs)).rejects.toThrow('its replacement was not created');
  expect(ownEndpoints(service).map((held) => held.id)).toEqual([id]);
});

describe('if the next create is skipped because what it depends on has failed,', () => {
  it('an endpoint that is in state twice survives', async () => {
    const service = await startService();
    const program = service.declare({ type: 'read_only', __createsBeforeDelete: true });
    const { id, outs } = await runCreate(service.startProvider(), program);
    const run = service.startProvider();
    await run.check({}, { ...program });
    await expect(run.delete(id, outs)).rejects.toThrow('its replacement was not created');
    expect(idsOf(service)).toEqual([id]);
  });

  it('a branch that is in state twice survives', async () => {
    const { emulator, project, lifecycleOptions } = await startService();
    const start = () => makeDynamicProviders(lifecycleOptions()).branch;
    const name = { name: 'pr-1', __urn: urnOf('pr', 'branch') };
    const program = { projectId: project.id, ...name, __createsBeforeDelete: true };
    const { id, outs = {} } = await start().create(program);
    const run = start();
    await run.check({}, { ...program });
    await expect(run.delete(id, outs)).rejects.toThrow('its replacement was not created');
    expect(emulator.branches(project.id).map((held) => held.id)).toContain(id);
  });
});

it('a forced replacement that keeps the endpoint removes one of several Postgres settings', async () => {
  const service = await startService({ normalizeSettings: true });
  const declare = (pgSettings: Record<string, string>) =>
    service.declare({ type: 'read_only', __createsBeforeDelete: true, pgSettings });
  const before = declare({ work_mem: '8MB', application_name: 'shop' });
  const state = await runCreate(service.startProvider(), before);
  const forced = { cause: 'forced', deletesFirst: false } as const;
  const next = await runReplacement(service.startProvider(), state, declare({ work_mem: '8MB' }), forced);
  expect(next.id).toBe(state.id);
  expect(ownEndpoints(service)[0]?.settings.pg_settings).not.toHaveProperty('application_name');
});

describe('when the engine asks early, because what the resource depends on is replaced', () => {
  it('an endpoint that the program no longer declares is deleted', async () => {
    const service = await startService();
    const program = service.declare({ restartTriggers: { of: 'first' } });
    const { id, inputs, outs } = await runCreate(service.startProvider(), program);
    const nextRun = service.startProvider();
    await nextRun.diff(id, outs, { ...inputs, restartTriggers: { of: unknownValue } });
    await nextRun.delete(id, outs);
    expect(ownEndpoints(service)).toEqual([]);
  });

  it('a branch that the program no longer declares is deleted', async () => {
    const { emulator, project, lifecycleOptions } = await startService();
    const start = () => makeDynamicProviders(lifecycleOptions()).branch;
    const program = { projectId: project.id, name: 'pr-1', __urn: urnOf('pr', 'branch') };
    const { id, outs = {} } = await start().create(program);
    const nextRun = start();
    await nextRun.diff(id, outs, { ...program, name: unknownValue });
    await nextRun.delete(id, outs);
    expect(emulator.branches(project.id).map((branch) => branch.id)).not.toContain(id);
  });

  it('another resource adopts an endpoint that the program no longer declares', async () => {
    const service = await startService();
    const program = service.declare({ name: 'api', restartTriggers: { of: 'first' } });
    const { id, inputs, outs } = await runCreate(service.startProvider(), program);
    const nextRun = service.startProvider();
    await nextRun.diff(id, outs, { ...inputs, restartTriggers: { of: unknownValue } });
    const heir = service.declare({ name: 'api', adopt: true, __urn: urnOf('heir') });
    expect((await nextRun.create(heir)).id).toBe(id);
    await nextRun.delete(id, outs);
    expect(ownEndpoints(service)).toMatchObject([{ id }]);
  });

  it('allowRestart: false does not stop it for what an earlier update has not applied', async () => {
    const service = await startService();
    const program = service.declare({ allowRestart: false, suspendTimeoutSeconds: 60 });
    const { id, inputs, outs } = await runCreate(service.startProvider(), program);
    const unapplied: StoredOutputs = { ...outs, __unapplied: ['autoscalingLimitMaxCu'] };
    const asked = service
      .startProvider()
      .diff(id, unapplied, { ...inputs, suspendTimeoutSeconds: unknownValue });
    expect(await asked).toMatchObject({ changes: true, replaces: [] });
  });
});

it('the same project, stack and resource name in two organizations creates two endpoints', async () => {
  const service = await startService();
  const program = service.declare({ type: 'read_only' });
  const ours = await runCreate(service.startProvider(), { ...program, __organization: 'acme' });
  const theirs = await runCreate(service.startProvider(), { ...program, __organization: 'umbrella' });
  expect(theirs.id).not.toBe(ours.id);
  expect(ownEndpoints(service)).toHaveLength(2);
});

describe('a program whose resource ignores changes of every argument (`ignoreChanges`)', () => {
  it('does not keep what an earlier replacement has left in the inputs', async () => {
    const { provider, declare } = await startService();
    const olds = declare({ name: 'shop-api', __createsBeforeDelete: true, __replaces: '0123456789abcdef' });
    const { inputs } = await provider.check({ ...olds }, { ...olds });
    expect(inputs).not.toHaveProperty('__replaces');
  });

  it('gets no replacement by force that returns the endpoint that it is to replace', async () => {
    const service = await startService();
    const { declare } = service;
    const program = declare({ type: 'read_only', __createsBeforeDelete: true });
    const first = service.startProvider();
    const { inputs: before } = await first.check({}, { ...program });
    const old = await first.create(before as StoredInputs);
    // A declared replacement, whose new endpoint is created while the old one exists.
    const second = service.startProvider();
    await second.check({ ...(before as StoredInputs) }, { ...program });
    const { inputs: replacing } = await second.check({}, { ...program });
    const replacement = await second.create(replacing as StoredInputs);
    await second.delete(old.id, old.outs as StoredOutputs);
    expect(replacing).toHaveProperty('__replaces');
    // `--replace` of a resource with ignoreChanges: ['*']: the engine takes every input from the state.
    const third = service.startProvider();
    const { inputs: forced } = await third.check({}, { ...(replacing as StoredInputs) });
    const outcome = await third.create(forced as StoredInputs).catch((error: unknown) => error);
    expect(outcome).not.toMatchObject({ id: replacement.id });
  });
});
