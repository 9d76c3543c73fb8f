import { describe, expect, it } from 'vitest';
import { makeDynamicProviders } from '../../provider/src/dynamic/dynamic-provider';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import { collectDiagnostics } from '../support/diagnostics';
import { type Replacement, runCreate, runReplacement, runUpdate } from '../support/engine';
import { idsOf, ownEndpoints, type Service, startService, urnOf } from '../support/start-service';

// Replacements in the orders that resource options give. Those that delete first: ordinary-runs.test.ts.

const shown = collectDiagnostics();

const declared: Replacement = { cause: 'declared', deletesFirst: false };
const forced: Replacement = { cause: 'forced', deletesFirst: false };
const declareReplica = (service: Service, args: Partial<StoredInputs> = {}) =>
  service.declare({ type: 'read_only', __createsBeforeDelete: true, ...args });

describe('with deleteBeforeReplace: false', () => {
  it.each([
    ['', { provisioner: 'k8s-pod' }],
    [' without a changed property (replaceWith)', {}],
  ] as const)('a declared replacement%s makes a replica of another derived name', async (_why, change) => {
    const service = await startService();
    const program = declareReplica(service);
    const state = await runCreate(service.startProvider(), program);
    const next = await runReplacement(service.startProvider(), state, { ...program, ...change }, declared);
    expect(next.id).not.toBe(state.id);
    expect(idsOf(service)).toEqual([next.id]);
    expect(next.outs.name).not.toBe(state.outs.name);
  });

  it('a forced replacement keeps the endpoint, and resets what is omitted', async () => {
    const service = await startService({ normalizeSettings: true });
    const both = { pgSettings: { work_mem: '8MB', application_name: 'shop' }, suspendTimeoutSeconds: 600 };
    const state = await runCreate(service.startProvider(), declareReplica(service, both));
    const program = declareReplica(service, { pgSettings: { work_mem: '8MB' } });
    const next = await runReplacement(service.startProvider(), state, program, forced);
    expect([next.id, ...idsOf(service)]).toEqual([state.id, state.id]);
    expect(shown.join('')).toContain(`endpoint ${state.id} was not deleted`);
    const [held] = ownEndpoints(service);
    expect(held).toMatchObject({ suspend_timeout_seconds: 0 });
    expect(held?.settings.pg_settings).not.toHaveProperty('application_name');
    expect((await runUpdate(service.startProvider(), next, program)).id).toBe(state.id);
  });

  it('a forced replacement also keeps an endpoint that has replaced another', async () => {
    const service = await startService();
    const program = declareReplica(service);
    const old = await runCreate(service.startProvider(), program);
    const state = await runReplacement(service.startProvider(), old, program, declared);
    const next = await runReplacement(service.startProvider(), state, program, forced);
    expect([next.id, ...idsOf(service)]).toEqual([state.id, state.id]);
  });
});

describe('an endpoint twice in state after an interrupted replacement survives', () => {
  it('when the next create fails', async () => {
    const service = await startService();
    const program = declareReplica(service);
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
    expect(idsOf(service)).toEqual([id]);
  });

  it('when the next create is skipped after a failed dependency', async () => {
    const service = await startService();
    const program = declareReplica(service);
    const { id, outs } = await runCreate(service.startProvider(), program);
    const run = service.startProvider();
    await run.check({}, { ...program });
    await expect(run.delete(id, outs)).rejects.toThrow('its replacement was not created');
    expect(idsOf(service)).toEqual([id]);
    const start = () => makeDynamicProviders(service.lifecycleOptions()).branch;
    const name = { name: 'pr-1', __urn: urnOf('pr', 'branch') };
    const branch = { projectId: service.project.id, ...name, __createsBeforeDelete: true };
    const created = await start().create(branch);
    const next = start();
    await next.check({}, { ...branch });
    await expect(next.delete(created.id, created.outs ?? {})).rejects.toThrow('was not created');
    expect(service.emulator.branches(service.project.id).map((held) => held.id)).toContain(created.id);
  });
});

describe('when the engine asks early, because a dependency is replaced', () => {
  /** An endpoint in state, and the run in which the engine has asked with an unknown value of the argument. */
  async function startEarly(args: Partial<StoredInputs>, argument: keyof StoredInputs) {
    const service = await startService();
    const { id, inputs, outs } = await runCreate(service.startProvider(), service.declare(args));
    const run = service.startProvider();
    const ask = (state: StoredOutputs = outs) => run.diff(id, state, { ...inputs, [argument]: unknownValue });
    return { ...service, service, id, outs, run, ask };
  }

  it('an endpoint that the program no longer declares is deleted', async () => {
    const { service, id, outs, run, ask } = await startEarly(
      { restartTriggers: { of: '1' } },
      'restartTriggers',
    );
    await ask();
    await run.delete(id, outs);
    expect(ownEndpoints(service)).toEqual([]);
  });

  it('another resource adopts an endpoint that is no longer declared', async () => {
    const args = { name: 'api', restartTriggers: { of: '1' } };
    const { service, id, outs, run, ask, declare } = await startEarly(args, 'restartTriggers');
    await ask();
    const heir = declare({ name: 'api', adopt: true, __urn: urnOf('heir') });
    expect((await run.create(heir)).id).toBe(id);
    await run.delete(id, outs);
    expect(ownEndpoints(service)).toMatchObject([{ id }]);
  });

  it('allowRestart: false does not stop it for a pending change', async () => {
    const args = { allowRestart: false, suspendTimeoutSeconds: 60 };
    const { outs, ask } = await startEarly(args, 'suspendTimeoutSeconds');
    const asked = ask({ ...outs, __unapplied: ['autoscalingLimitMaxCu'] } as StoredOutputs);
    expect(await asked).toMatchObject({ changes: true, replaces: [] });
  });
});

it('an endpoint that is replaced under another URN is deleted', async () => {
  const service = await startService();
  const { id, outs } = await runCreate(service.startProvider(), service.declare({ __urn: urnOf('old') }));
  const run = service.startProvider();
  await run.diff(id, outs, service.declare({ type: 'read_only', __urn: urnOf('new') }));
  await run.delete(id, outs);
  expect(idsOf(service)).toEqual([]);
});

it('ignoreChanges keeps nothing of an earlier replacement in the inputs', async () => {
  const { provider, declare } = await startService();
  const olds = declare({ name: 'shop-api', __createsBeforeDelete: true, __replaces: '0123456789abcdef' });
  const { inputs } = await provider.check({ ...olds }, { ...olds });
  expect(inputs).not.toHaveProperty('__replaces');
});
