import { describe, expect, it } from 'vitest';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import type { EngineClient } from '../../provider/src/engine/engine-client';
import { EngineDisplay } from '../../provider/src/engine/engine-display';
import { silenceDiagnostics } from '../support/diagnostics';
import { callErrorOf, failedState, type ResourceState, runUp } from '../support/door';
import { errorOf, failureOf } from '../support/failure';
import { pluginDoor } from '../support/plugin-door';
import { doors, startDoor } from '../support/start-door';
import { startEngineRuns } from '../support/start-engine-run';
import { createEndpoint, startService } from '../support/start-service';
import { until } from '../support/virtual-world';

silenceDiagnostics();

/** Marks a secret in what a provider returns to the engine. */
const secretSignature = '4dabf18193072939515e22adb298388d';

it('marks a new secret in state when a proxy replaced the response', async () => {
  const service = await startService();
  const state = await createEndpoint(service);
  const page = { kind: 'proxy-page', status: 404, when: 'after-work' } as const;
  service.emulator.inject({ match: { method: 'PATCH' }, effect: page });
  service.emulator.inject({
    match: { method: 'GET' },
    times: 'always',
    effect: { ...page, when: 'before-work' },
  });
  const desired = service.declare({ pgSettings: { 'app.key': 'canary' }, __secrets: ['pgSettings'] });
  const { properties } = await failureOf(service.startProvider().update(state.id, state.outs, desired));
  expect(properties).toMatchObject({ __secrets: ['pgSettings'], __ledger: { due: ['pgSettings'] } });
});

it('a value that becomes a secret asks once for an update, and no request', async () => {
  const service = await startService();
  const state = await createEndpoint(service, service.declare({ name: 'canary-name' }));
  const provider = service.startProvider();
  const marked = service.declare({ name: 'canary-name', __secrets: ['name'] });
  expect(await provider.diff(state.id, state.outs, marked)).toMatchObject({ changes: true, replaces: [] });
  const sent = service.emulator.requests().length;
  const { outs } = await provider.update(state.id, state.outs, marked);
  expect(service.emulator.requests()).toHaveLength(sent);
  expect(await provider.diff(state.id, outs as StoredOutputs, marked)).toMatchObject({ changes: false });
});

it.each([
  ['left out', {}],
  ['null', { name: null }],
])('a secret name stays marked in the inputs when it is %s', async (_how, rest) => {
  const { provider, declare } = await startService();
  const { name: _name, ...program } = declare();
  const olds = declare({ name: 'hidden-name', __secrets: ['name'], __urn: program.__urn ?? '' });
  const { inputs } = await provider.check({ ...olds }, { ...program, ...rest });
  expect(inputs).toMatchObject({ __secrets: ['name'] });
  expect((inputs as StoredInputs).name).toEqual({
    [secretSignature]: '1b47061264138c4ac30d75fd1eb44270',
    value: 'hidden-name',
  });
});

it.each(['refresh', 'update', 'delete'] as const)(
  'settings and triggers only in state are in no message of a failed %s',
  async (action) => {
    const service = await startService();
    const { emulator, startProvider, declare } = service;
    const { id } = await createEndpoint(service);
    // Of an earlier release: it does not say what the program gives.
    const stored = declare({
      pgSettings: { 'app.token': 'canary-setting' },
      restartTriggers: { token: 'canary-trigger' },
    }) as StoredOutputs;
    const message = 'canary-setting and canary-trigger are refused';
    emulator.inject({ match: {}, times: 'always', effect: { kind: 'status', status: 422, message } });
    const next = startProvider();
    const work = {
      refresh: () => next.read(id, stored),
      update: () => next.update(id, stored, declare({ suspendTimeoutSeconds: 60 })),
      delete: () => next.delete(id, stored),
    }[action];
    expect((await errorOf(work())).message).toContain('*** and *** are refused');
  },
);

const plainOf = ({ outputs }: ResourceState) =>
  JSON.stringify(outputs, (_key, value) => (value?.[secretSignature] ? 'secret' : value));

const refusal = { match: { method: 'PATCH' }, effect: { kind: 'status', status: 403 } } as const;
const secret = { args: { pgSettings: { 'app.key': 'canary' } }, more: { secrets: ['pgSettings'] } };
const others = { pgSettings: { work_mem: '8MB' } };

describe.each(doors)('a secret setting of a killed run, by %s', (_name, door) => {
  it('is a secret in state after a refused update of its value', async () => {
    const { emulator, startRun, declare } = await startDoor(door);
    const longer = { suspendTimeoutSeconds: 600 };
    const created = await runUp(await startRun(), declare());
    emulator.inject({ match: { action: 'apply_config' }, effect: { kind: 'operation-fails' } });
    const state = await failedState(runUp(await startRun(), declare(longer), created));
    // The engine is killed before it stores what this returns.
    await runUp(await startRun(), declare({ ...longer, ...secret.args }, secret.more), state);
    emulator.inject(refusal);
    const failed = await failedState(runUp(await startRun(), declare({ ...longer, ...others }), state));
    expect(plainOf(failed)).not.toContain('canary');
  });

  it('is secret in state when the next create gives other settings', async () => {
    const { emulator, startRun, declare, held } = await startDoor(door);
    emulator.inject({ ...refusal, times: 2 });
    // The engine is killed before it stores what this has left.
    const killed = declare({ name: 'api', ...secret.args }, secret.more);
    await callErrorOf(runUp(await startRun(), killed));
    const { outputs } = await failedState(runUp(await startRun(), declare({ name: 'api', ...others })));
    expect(held()).toHaveLength(1);
    expect(outputs.pgSettings).toHaveProperty(secretSignature);
  });

  it('is secret in state when the next update changes something else', async () => {
    const { startRun, declare, held } = await startDoor(door);
    const before = await runUp(await startRun(), declare(others));
    // The engine is killed before it stores what this returns.
    await runUp(await startRun(), declare(secret.args, secret.more), before);
    const resized = declare({ ...others, autoscalingLimitMaxCu: 2 });
    const { outputs } = await runUp(await startRun(), resized, before);
    expect(held()).toHaveLength(1);
    expect(outputs.pgSettings).toHaveProperty(secretSignature);
  });
});

describe.each(doors)('a secret setting, by %s', (_name, door) => {
  const expectKept = (state: ResourceState) => {
    expect(JSON.stringify(state.outputs.pgSettings)).toContain('canary');
    expect(plainOf(state)).not.toContain('canary');
  };

  it('stays one in state when the update that omits it fails', async () => {
    const { emulator, startRun, declare } = await startDoor(door);
    const before = await runUp(await startRun(), declare(secret.args, secret.more));
    // The outcome is unknown: the proxy may have passed the request on.
    emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'proxy-page', status: 403 } });
    expectKept(await failedState(runUp(await startRun(), declare(), before)));
  });

  it('stays one when a forced replacement adopts, omits it and fails', async () => {
    const { emulator, startRun, declare } = await startDoor(door);
    await runUp(await startRun(), declare(secret.args, secret.more));
    const bare = declare({ __createsBeforeDelete: true } as object);
    emulator.inject(refusal);
    expectKept(await failedState(runUp(await startRun(), bare)));
    expect((await runUp(await startRun(), bare)).outputs.pgSettings).not.toHaveProperty('app.key');
  });
});

it('the plugin does not name a secret as the property that is wrong', async () => {
  const { startRun, declare } = await startDoor(pluginDoor);
  const long = declare({ name: 'canary'.repeat(20) }, { secrets: ['name'] });
  const { failures } = await (await startRun()).check(undefined, long);
  expect(failures).toEqual([{ property: '', reason: 'name must be 1 to 64 characters' }]);
});

it('a __ledger that this release does not know stops the update', async () => {
  const { startRun, declare, writes } = await startDoor(pluginDoor);
  const state = await runUp(await startRun(), declare());
  const sent = writes().length;
  const odd = { ...state, outputs: { ...state.outputs, __ledger: { due: ['futureArgument'] } } };
  const { message } = await callErrorOf(runUp(await startRun(), declare(), odd));
  expect(message).toContain("this release can't read");
  expect(writes()).toHaveLength(sent);
});

it('a secret that an update replaces is redacted in its progress', async () => {
  const service = await startService();
  const { emulator, project } = service;
  const shown: string[] = [];
  const client = { log: async (_severity: string, _urn: string, text: string) => void shown.push(text) };
  const display = new EngineDisplay(client as unknown as EngineClient);
  const provider = service.startProvider({}, { display });
  const inputs = service.declare(secret.args);
  const { id, outs } = await createEndpoint(service, inputs);
  // An operation that the service tries again may say what it could not apply.
  const error = 'app.key: canary is no key';
  const operation = emulator.addOperation(project.id, {
    action: 'apply_config',
    status: 'running',
    error,
  });
  const update = provider.update(id, outs, { ...inputs, pgSettings: { 'app.key': 'another' } });
  await until(() => shown.some((text) => text.includes('waiting for the project')));
  operation.finish();
  await update;
  expect(shown.join('\n')).not.toContain('canary');
});

it('a refresh by a key that may not reveal passwords leaves one out', async () => {
  const { startRun, emulator, project, branch } = await startEngineRuns();
  const declared = { projectId: project.id, branchId: branch.id, name: 'app' };
  const made = await startRun().create('role', 'r', declared);
  const { password: _, ...outputs } = made.outputs;
  const path = '/projects/:project/branches/:branch/roles/:role/reveal_password';
  emulator.inject({ match: { path }, effect: { kind: 'status', status: 403 } });
  expect(await startRun().read({ ...made, outputs })).toMatchObject({ outputs });
});
