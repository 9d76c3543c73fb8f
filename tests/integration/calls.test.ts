import { describe, expect, it } from 'vitest';
import { makeDynamicProviders } from '../../provider/src/dynamic/dynamic-provider';
import type { DynamicPartialStateError } from '../../provider/src/dynamic/host-errors';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { collectDiagnostics } from '../support/diagnostics';
import { createEndpoint, idsOf, startService, urnOf } from '../support/start-service';

// What only the dynamic provider does, and what needs calls in an order of its own.

const shown = collectDiagnostics();

it.each([{}, { lateListsMs: 200 }, { lateListsMs: 200, lateGetsMs: 200 }])(
  'two creates of one read_write endpoint at once leave one: %j',
  async (options) => {
    const service = await startService({ operationMs: 30, readLagMs: 800, ...options });
    const providers = [service.startProvider(), service.startProvider()];
    const created = await Promise.all(providers.map((provider) => provider.create(service.declare())));
    expect(created.map(({ id }) => id)).toEqual([...idsOf(service), ...idsOf(service)]);
  },
);

it('a create without a name or URN sends nothing', async () => {
  const service = await startService();
  const { __urn: _, ...unnamed } = service.declare();
  await expect(service.provider.create(unnamed)).rejects.toThrow(/neither a name nor a URN/);
  expect(service.emulator.requests().filter(({ method }) => method !== 'GET')).toEqual([]);
});

it.each(['create', 'update', 'delete'] as const)('a %s has its own time-out', async (action) => {
  const service = await startService();
  const { id, outs } = await createEndpoint(service);
  const timeouts = { create: 60, update: 60, delete: 60, [action]: 3 };
  const inputs = service.declare({ timeouts, suspendTimeoutSeconds: 900 });
  service.emulator.lockProject(service.project.id);
  const provider = service.startProvider();
  const calls = {
    create: () => provider.create(inputs),
    update: () => provider.update(id, outs, inputs),
    delete: () => provider.delete(id, { ...outs, timeouts }),
  };
  await expect(calls[action]()).rejects.toThrow('waited 3 s');
});

describe('a check', () => {
  it('derives no name after adopt is removed from the program', async () => {
    const { provider, declare } = await startService();
    const olds = declare({ adopt: true });
    const { adopt: _, ...news } = olds;
    expect((await provider.check({ ...olds }, { ...news })).inputs).not.toHaveProperty('name');
  });

  it('keeps nothing of an earlier replacement, also with ignoreChanges', async () => {
    const { provider, declare } = await startService();
    const olds = declare({ name: 'shop-api', __createsBeforeDelete: true, __replaces: '0123456789abcdef' });
    const { inputs } = await provider.check({ ...olds }, { ...olds });
    expect(inputs).not.toHaveProperty('__replaces');
  });

  it('refuses a name that another resource of the program has', async () => {
    const { provider, declare } = await startService();
    const check = async (resource: string) =>
      (await provider.check({}, { ...declare({ name: 'api' }), __urn: urnOf(resource) })).failures;
    expect([await check('first'), await check('first')]).toEqual([[], []]);
    const reason = expect.stringContaining(urnOf('first'));
    expect(await check('second')).toEqual([{ property: 'name', reason }]);
  });
});

it('a replacement that comes first is no branch that has failed before', async () => {
  const { emulator, project, branch, lifecycleOptions } = await startService();
  const place = { projectId: project.id, parentId: branch.id, __urn: urnOf('b', 'branch') };
  const program: StoredInputs = { ...place, __createsBeforeDelete: true };
  const startProvider = () => makeDynamicProviders(lifecycleOptions()).branch;
  const fail = async (provider: ReturnType<typeof startProvider>, inputs: StoredInputs) => {
    emulator.inject({ match: { action: 'create_branch' }, effect: { kind: 'operation-fails' } });
    return (await provider.create(inputs).catch((error: unknown) => error)) as DynamicPartialStateError;
  };
  /** The next run replaces what has failed. */
  const replace = async ({ id, properties }: DynamicPartialStateError) => {
    const provider = startProvider();
    await provider.check(properties, program);
    expect(await provider.diff(id, properties, properties)).toMatchObject({
      replaces: ['unsettledOperations'],
    });
    const { inputs = program } = await provider.check({}, program);
    return { provider, inputs };
  };
  const { inputs: first = program } = await startProvider().check({}, program);
  const one = await fail(startProvider(), first);
  const second = await replace(one);
  const two = await fail(second.provider, second.inputs);
  const { provider, inputs } = await replace(two);
  await provider.create(inputs);
  for (const { id, properties } of [one, two]) await provider.delete(id, properties);
  expect(emulator.branches(project.id).map(({ name }) => name)).toEqual(['main', 'feature', inputs.name]);
});

describe('a diff', () => {
  it('replaces a read_write endpoint before, a read_only one after', async () => {
    const service = await startService();
    const { startProvider, declare } = service;
    const { id, outs } = await createEndpoint(service);
    const moved = declare({ projectId: 'p-2' });
    const replaces = { changes: true, replaces: ['projectId'] };
    const diff = await startProvider().diff(id, outs, moved);
    expect(diff).toEqual({ ...replaces, deleteBeforeReplace: true });
    const replica = { ...outs, type: 'read_only' } as const;
    const later = await startProvider().diff(id, replica, { ...moved, type: 'read_only' });
    expect(later).toEqual({ ...replaces, deleteBeforeReplace: false });
  });

  it('shows a warning once, although a preview with a refresh asks twice', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service);
    const run = service.startProvider();
    for (let time = 1; time <= 2; time += 1)
      await run.diff(id, outs, service.declare({ autoscalingLimitMaxCu: 2 }));
    expect(shown.join('').split('restarts the compute')).toHaveLength(2);
  });

  it('finds none in trigger values that release 0.1.0 stored', async () => {
    const service = await startService();
    const inputs = service.declare({ restartTriggers: { password: 'canary-trigger' } });
    const { id, outs } = await createEndpoint(service, inputs);
    const olds = { ...outs, restartOnChange: 'size 0.25 to 1 CU; triggers password=canary-trigger' };
    const news = { ...inputs, restartOnChange: 'size 0.25 to 1 CU' };
    expect(await service.provider.diff(id, olds, news)).toMatchObject({ changes: false });
    for (const change of [{ timeouts: { create: 5 } }, { suspendTimeoutSeconds: 900 }]) {
      const updated = await service.provider.update(id, olds, { ...news, ...change });
      expect(updated.outs?.restartOnChange).toBe('size 0.25 to 1 CU');
    }
  });

  it.each([
    ['a rename by aliases', { __urn: urnOf('renamed') }],
    ['the option retainOnDelete', { __retainsOnDelete: true }],
  ])('makes %s an update without requests', async (_title, change) => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service);
    const run = service.startProvider();
    const changed = service.declare(change);
    const sent = service.emulator.requests().length;
    expect(await run.diff(id, outs, changed)).toMatchObject({ changes: true, replaces: [] });
    const updated = await run.update(id, outs, changed);
    expect(updated.outs).toMatchObject(change);
    expect((await run.diff(id, updated.outs as StoredOutputs, changed)).changes).toBe(false);
    expect(service.emulator.requests()).toHaveLength(sent);
  });

  it("gives the plugin's state the provider text once, without a request", async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service);
    const news = { ...service.declare(), __provider: 'code' } as StoredInputs;
    expect(await service.provider.diff(id, outs, news)).toMatchObject({ changes: true, replaces: [] });
    const sent = service.emulator.requests().length;
    const updated = await service.provider.update(id, outs, news);
    expect(service.emulator.requests()).toHaveLength(sent);
    expect(updated.outs).toMatchObject({ __provider: 'code' });
    const next = await service.provider.diff(id, updated.outs as StoredOutputs, news);
    expect(next).toMatchObject({ changes: false });
  });
});

describe('a read', () => {
  it('by id alone reports the missing projectId', async () => {
    const { provider } = await startService();
    await expect(provider.read('ep-1')).rejects.toMatchObject({
      message: "read of endpoint ep-1: its projectId is not known, so it can't be found.",
    });
  });

  it('fails if what is only looked up does not exist', async () => {
    const { provider, project } = await startService();
    await expect(provider.read('ep-1', { projectId: project.id })).rejects.toMatchObject({
      message: `endpoint ep-1 does not exist in project ${project.id}`,
    });
  });

  it('returns inputs only if something has drifted', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service);
    expect(await service.provider.read(id, outs)).not.toHaveProperty('inputs');
    service.emulator.changeEndpoint(id, { autoscaling_limit_max_cu: 4 });
    const drifted = { autoscalingLimitMaxCu: 4, restartOnChange: 'size 0.25 to 4 CU' };
    const { inputs } = await service.provider.read(id, outs);
    expect(inputs).toEqual({ ...service.declare(), ...drifted });
  });

  it('returns inputs if an argument drifted that is not named as declared', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service);
    // The value that the service has: no change, so the engine stores the new inputs and keeps the outputs.
    const added = service.declare({ poolerEnabled: false });
    expect(await service.provider.diff(id, outs, added)).toMatchObject({ changes: false });
    service.emulator.changeEndpoint(id, { pooler_enabled: true });
    const { inputs } = await service.provider.read(id, outs);
    expect(inputs).toMatchObject(service.declare());
    expect(inputs).not.toHaveProperty('poolerEnabled', false);
  });
});

it('a delete is not refused by an old list of the branches', async () => {
  const service = await startService();
  const { id, outs } = await createEndpoint(service);
  const provider = service.startProvider({}, { readSharingMs: 10_000 });
  const protect = (isProtected: boolean) =>
    service.emulator.changeBranch(service.project.id, service.branch.id, { protected: isProtected });
  protect(true);
  await expect(provider.delete(id, outs)).rejects.toThrow('is protected');
  protect(false);
  await provider.delete(id, outs);
  expect(idsOf(service)).toEqual([]);
});

it('deletes of endpoints of one branch share a list of the branches', async () => {
  const service = await startService();
  const declare = (name: string) => service.declare({ name, type: 'read_only' });
  const created = [];
  for (const name of ['a', 'b', 'c']) created.push(await createEndpoint(service, declare(name)));
  const provider = service.startProvider({}, { readSharingMs: 10_000 });
  for (const { id, outs } of created) await provider.delete(id, outs);
  const lists = service.emulator.requests().filter(({ path }) => path.endsWith('/branches'));
  expect(lists).toHaveLength(1);
});
