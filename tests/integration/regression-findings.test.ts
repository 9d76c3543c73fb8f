import { describe, expect, it, vi } from 'vitest';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { runCreate } from '../support/engine';
import { errorOf, failureOf } from '../support/failure';
import { ownEndpoints, startService } from '../support/start-service';

/** Marks a secret in what a provider returns to the engine. */
const secretSignature = '4dabf18193072939515e22adb298388d';

describe('when reads lag behind writes and a response is slow as well', () => {
  it('a refresh keeps an endpoint whose first, stale response takes longer than reads lag behind', async () => {
    const service = await startService({ readLagMs: 700, lateListsMs: 600, lateGetsMs: 600 });
    const { emulator, project, branch, declare } = service;
    emulator.inject({
      match: { method: 'GET', path: '/projects/:p/endpoints/:e' },
      effect: { kind: 'slow', delayMs: 800 },
    });
    const { id } = emulator.createEndpoint(project.id, { branch_id: branch.id, type: 'read_write' });
    const outs = { ...declare(), __declared: ['projectId', 'branchId', 'type'] } as unknown as StoredOutputs;
    expect(await service.startProvider().read(id, outs)).toMatchObject({ id });
  });
});

describe('a secret name that the program no longer gives', () => {
  it.each([
    ['left out', {}],
    ['null', { name: null }],
  ])('stays marked as a secret in the inputs when the argument is %s', async (_how, rest) => {
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
});

describe('Postgres settings in state that the program does not give', () => {
  const secret = 'canary-in-settings';
  const refused = {
    kind: 'status',
    status: 422,
    message: `app.token may not be ${secret}`,
  } as const;

  it.each(['refresh', 'update', 'delete'] as const)(
    'are in no message of a %s that fails',
    async (action) => {
      const service = await startService();
      const { emulator, declare } = service;
      const { id } = await runCreate(service.provider, declare());
      emulator.changeEndpoint(id, { settings: { pg_settings: { 'app.token': secret } } });
      const declared = ['projectId', 'branchId', 'type', 'autoscalingLimitMinCu', 'autoscalingLimitMaxCu'];
      const state = { ...declare(), pgSettings: { 'app.token': secret }, __declared: declared };
      const stored = state as unknown as StoredOutputs;
      const provider = service.startProvider();
      emulator.inject({ match: {}, times: 'always', effect: refused });
      const work = {
        refresh: () => provider.read(id, stored),
        update: () => provider.update(id, stored, declare({ suspendTimeoutSeconds: 60 })),
        delete: () => provider.delete(id, stored),
      }[action];
      const { message } = await errorOf(work());
      expect(message).toContain('app.token may not be ***');
    },
  );
});

describe('state without a list of what the program gives', () => {
  it('keeps a trigger in it out of the message of a delete that fails', async () => {
    const { emulator, provider, startProvider, declare } = await startService();
    const { id } = await runCreate(provider, declare());
    const stored = declare({ restartTriggers: { token: 'canary-trigger' } }) as StoredOutputs;
    emulator.inject({
      match: { method: 'DELETE' },
      effect: { kind: 'status', status: 422, message: 'canary-trigger is refused' },
    });
    expect((await errorOf(startProvider().delete(id, stored))).message).toContain('*** is refused');
  });
});

describe('a create whose operation the service never shows', () => {
  it.each([
    ['is deleted', 'the endpoint no longer exists'],
    ['is changed', 'the service reports a different suspendTimeoutSeconds'],
  ])('fails soon, not at its deadline, when the endpoint %s by another client', async (how, reason) => {
    const service = await startService({ operationMs: 60_000, readLagMs: 200 });
    const { emulator } = service;
    for (const path of ['/projects/:p/operations', '/projects/:p/operations/:o'])
      emulator.inject({
        match: { method: 'GET', path },
        times: 'always',
        effect: { kind: 'late-read', lateMs: 60_000 },
      });
    const inputs = service.declare({ suspendTimeoutSeconds: 60, timeouts: { create: 12 } });
    const startedAt = Date.now();
    const created = failureOf(service.startProvider().create(inputs));
    await expect.poll(() => ownEndpoints(service).length, { timeout: 5_000 }).toBe(1);
    // Longer than an operation may be missing and a read may lag behind.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const [endpoint] = ownEndpoints(service);
    if (how === 'is deleted') emulator.deleteEndpoint(endpoint?.id ?? '');
    else emulator.changeEndpoint(endpoint?.id ?? '', { suspend_timeout_seconds: 90 });
    expect((await created).message).toContain(reason);
    expect(Date.now() - startedAt).toBeLessThan(8_000);
  });
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

describe('a note that a resource without a URN can not show', () => {
  it('appears under the next resource that has a URN', async () => {
    const { provider, declare } = await startService();
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const { __urn, ...withoutUrn } = declare({ suspendTimeoutSeconds: 5 });
    await provider.check({}, { ...withoutUrn });
    await provider.check({}, { ...withoutUrn, __urn });
    const shown = write.mock.calls.map(([text]) => String(text)).join('');
    write.mockRestore();
    expect(shown).toContain("the service's plan may refuse less than 60 s");
  });
});

describe('a replica with adopt: true and no name', () => {
  it('is created beside an older replica that has no name either', async () => {
    const service = await startService();
    const { emulator, project, branch, provider, declare } = service;
    const older = { branch_id: branch.id, type: 'read_only' } as const;
    const { id: olderId } = emulator.createEndpoint(project.id, older, { ageMs: 60_000 });
    const { id } = await runCreate(provider, declare({ type: 'read_only', adopt: true }));
    expect(ownEndpoints(service).map((endpoint) => endpoint.id)).toEqual([olderId, id]);
  });
});
