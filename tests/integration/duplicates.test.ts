import { sortBy } from 'lodash';
import type { Endpoint } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { silenceDiagnostics } from '../support/diagnostics';
import { type EngineState, runCreate, runUpdate } from '../support/engine';
import { failureOf, outcomeOf } from '../support/failure';
import { startProxy } from '../support/rewriting-proxy';
import { idsOf, ownEndpoints, type Service, startService, urnOf } from '../support/start-service';

silenceDiagnostics();

const lists = { method: 'GET', path: '/projects/:p/endpoints' };

const derivedName = async (service: Service, inputs: StoredInputs) => {
  const { name: _, ...nameless } = inputs;
  const checked = await service.startProvider().check({}, nameless);
  return (checked.inputs as StoredInputs).name as string;
};

describe('a read_only endpoint with a declared name', () => {
  it('is not duplicated when a create follows a killed one after the rename, while lists lag', async () => {
    const service = await startService({ operationMs: 30, readLagMs: 1500, lateListsMs: 700 });
    const inputs = service.declare({ name: 'api', type: 'read_only' });
    const killed = outcomeOf(service.startProvider().create(inputs));
    await expect.poll(() => ownEndpoints(service)[0]?.name, { interval: 2, timeout: 10_000 }).toBe('api');
    await outcomeOf(service.startProvider().create(inputs));
    await killed;
    expect(ownEndpoints(service)).toHaveLength(1);
  });
  it('is not duplicated by two concurrent creates', async () => {
    const service = await startService({ operationMs: 30, readLagMs: 800 });
    const inputs = service.declare({ name: 'api', type: 'read_only' });
    await Promise.all([1, 2].map(() => outcomeOf(runCreate(service.startProvider(), inputs))));
    expect(ownEndpoints(service)).toHaveLength(1);
  });
});

describe('two creates of one resource that know nothing of each other', () => {
  /** Neither create sees the endpoint of the other at first, however slow the machine is. */
  const start = () => startService({ operationMs: 700, readLagMs: 600, lateListsMs: 300 });
  const twoEndpoints = (service: Service) =>
    expect.poll(() => ownEndpoints(service).length, { interval: 5, timeout: 10_000 }).toBe(2);

  it('the older endpoint stays when the request of a killed create arrives late', async () => {
    const service = await start();
    const inputs = service.declare({ type: 'read_only' });
    const created = service.startProvider().create(inputs);
    await expect.poll(() => idsOf(service).length, { interval: 5, timeout: 10_000 }).toBe(1);
    const { project_id, branch_id, type, name = '' } = ownEndpoints(service)[0] as Endpoint;
    service.emulator.createEndpoint(project_id, { branch_id, type, name });
    const { id } = await created;
    expect(idsOf(service)).toEqual([id]);
  });

  it('both return the older endpoint when the other one is deleted while its create waits', async () => {
    const service = await start();
    const inputs = service.declare({ type: 'read_only' });
    const creates = [1, 2].map(() => runCreate(service.startProvider(), inputs));
    await twoEndpoints(service);
    const [older, younger] = sortBy(ownEndpoints(service), 'created_at', 'id') as [Endpoint, Endpoint];
    service.emulator.deleteEndpoint(younger.id);
    expect((await Promise.all(creates)).map(({ id }) => id)).toEqual([older.id, older.id]);
    expect(idsOf(service)).toEqual([older.id]);
  });
});

it.each([
  { operationMs: 400, lateListsMs: 200 },
  { operationMs: 30, lateListsMs: 400 },
])(
  'a create that fails gives way to the older endpoint that lists did not show before: %j',
  async (speed) => {
    const service = await startService({ readLagMs: 800, ...speed });
    const { emulator, project, branch } = service;
    const inputs = service.declare({ type: 'read_only' });
    const name = await derivedName(service, inputs);
    const older = emulator.createEndpoint(project.id, { branch_id: branch.id, type: 'read_only', name });
    emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails', error: 'no' } });
    const { id } = await runCreate(service.startProvider(), inputs);
    expect(id).toBe(older.id);
    expect(idsOf(service)).toEqual([id]);
  },
);

it('a create that fails after it took over the oldest endpoint leaves no duplicate, which no update would look for', async () => {
  const service = await startService({ operationMs: 30, readLagMs: 800 });
  const { emulator, project, branch } = service;
  const inputs = service.declare({ type: 'read_only', autoscalingLimitMaxCu: 2 });
  const name = await derivedName(service, inputs);
  const [oldest] = [5_000, 3_000].map((ageMs) =>
    emulator.createEndpoint(project.id, { branch_id: branch.id, type: 'read_only', name }, { ageMs }),
  );
  emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails', error: 'no' } });
  const failure = await outcomeOf(runCreate(service.startProvider(), inputs));
  expect(failure).toMatchObject({ id: oldest?.id, message: expect.stringContaining('start_compute') });
  expect(idsOf(service)).toEqual([oldest?.id]);
});

it('a create takes over the next oldest endpoint when the oldest one is deleted while it is taken over', async () => {
  const service = await startService({ operationMs: 30, readLagMs: 800 });
  const { emulator, project, branch } = service;
  const inputs = service.declare({ type: 'read_only', autoscalingLimitMaxCu: 2 });
  const name = await derivedName(service, inputs);
  const [oldest, younger] = [5_000, 3_000].map((ageMs) =>
    emulator.createEndpoint(project.id, { branch_id: branch.id, type: 'read_only', name }, { ageMs }),
  );
  const url = await startProxy(emulator.url, (method, path, response) => {
    if (method !== 'PATCH' || !path.endsWith(`/${oldest?.id}`)) return undefined;
    emulator.deleteEndpoint(oldest?.id ?? '');
    return { ...response, status: 404, body: { code: 'NOT_FOUND', message: 'not found' } as object };
  });
  const provider = service.startProvider({ POSTGRES_COMPUTE_BASE_URL: url });
  expect(await outcomeOf(runCreate(provider, inputs))).toMatchObject({ id: younger?.id });
  expect(idsOf(service)).toEqual([younger?.id]);
});

describe('a new endpoint that only some reads show', () => {
  it('is not duplicated when the POST response is lost and a later list omits the endpoint once', async () => {
    const service = await startService({ operationMs: 30, readLagMs: 800 });
    let shown = 0;
    let posts = 0;
    let gets = 0;
    const url = await startProxy(service.emulator.url, (method, path, response) => {
      if (method === 'POST' && posts++ === 0) return { status: 502, body: '' };
      if (/endpoints$/.test(path) && method === 'GET') {
        const { endpoints = [] } = response.body || {};
        const others = endpoints.filter((each) => each.branch_id !== service.branch.id);
        if (others.length < endpoints.length && ++shown === 2)
          return { ...response, body: { endpoints: others } };
      }
      if (/endpoints\/ep-[^/]+$/.test(path) && method === 'GET' && gets++ === 0)
        return { status: 404, body: { code: 'NOT_FOUND', message: 'not found' } as object };
      return undefined;
    });
    const provider = service.startProvider({ POSTGRES_COMPUTE_BASE_URL: url });
    const created = await outcomeOf(runCreate(provider, service.declare({ type: 'read_only' })));
    expect(idsOf(service)).toEqual([(created as EngineState).id]);
  });
});

describe('a failed delete of a duplicate', () => {
  const size = { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 1 };
  const start = async (program: Partial<StoredInputs>, ages: number[]) => {
    const service = await startService({ operationMs: 30, readLagMs: 800 });
    const inputs = service.declare({ type: 'read_only', ...program });
    const name = await derivedName(service, inputs);
    const duplicate = { branch_id: service.branch.id, type: 'read_only' as const, name, ...size };
    const duplicates = ages.map((ageMs) =>
      service.emulator.createEndpoint(service.project.id, duplicate, { ageMs }),
    );
    service.emulator.inject({ match: { method: 'DELETE' }, effect: { kind: 'status', status: 403 } });
    return { service, inputs, duplicates };
  };
  it.each([{}, { name: 'api' }])('keeps an endpoint id in state after a 201: %j', async (program) => {
    const { service, inputs } = await start(program, [5_000]);
    service.emulator.inject({ match: lists, times: 2, effect: { kind: 'late-read', lateMs: 60_000 } });
    const failure = await outcomeOf(runCreate(service.startProvider(), inputs));
    expect(failure.id).toBeDefined();
  });
  it('is retried by the next create, which leaves one endpoint with the declared name', async () => {
    const { service, inputs } = await start({ name: 'api' }, [5_000]);
    service.emulator.inject({ match: lists, times: 2, effect: { kind: 'late-read', lateMs: 60_000 } });
    await outcomeOf(runCreate(service.startProvider(), inputs));
    await outcomeOf(runCreate(service.startProvider(), inputs));
    expect(ownEndpoints(service)).toHaveLength(1);
  });
  it('keeps the id of the endpoint that the create took over', async () => {
    const { service, inputs, duplicates } = await start({ name: 'api' }, [5_000, 3_000]);
    const failure = await outcomeOf(runCreate(service.startProvider(), inputs));
    expect(failure.id).toBe(duplicates[0]?.id);
  });

  const takeOver = async () => {
    const { service, inputs, duplicates } = await start({ name: 'api' }, [5_000, 3_000]);
    const { properties } = await failureOf(runCreate(service.startProvider(), inputs));
    expect(idsOf(service)).toHaveLength(2);
    return { service, inputs, id: duplicates[0]?.id ?? '', outs: properties as StoredOutputs }; // The provider's own outputs.
  };
  it('is retried by the next update, although nothing else has changed', async () => {
    const { service, inputs, id, outs } = await takeOver();
    const { outs: updated } = await runUpdate(service.startProvider(), { id, inputs, outs }, inputs);
    expect(ownEndpoints(service)).toMatchObject([{ id, name: 'api' }]);
    expect(updated.__unapplied).toBeUndefined();
  });
  it('is retried by an update that fails, and by the one after it', async () => {
    const { service, inputs, id, outs } = await takeOver();
    service.emulator.inject({ match: { method: 'DELETE' }, effect: { kind: 'status', status: 403 } });
    // The state stays as it is.
    const update = () => runUpdate(service.startProvider(), { id, inputs, outs }, inputs);
    await expect(update()).rejects.toThrow('403 Forbidden');
    expect(idsOf(service)).toHaveLength(2);
    await update();
    expect(idsOf(service)).toEqual([id]);
  });
  it('is retried by an update that then fails to move the endpoint', async () => {
    const { service, inputs, id, outs } = await takeOver();
    const { emulator, project } = service;
    const { id: branchId } = emulator.createBranch(project.id, { name: 'next' });
    emulator.inject({ match: { action: 'apply_config' }, effect: { kind: 'operation-fails' } });
    await failureOf(runUpdate(service.startProvider(), { id, inputs, outs }, { ...inputs, branchId }));
    const replicas = emulator.endpoints().filter(({ type }) => type === 'read_only');
    expect(replicas.map((replica) => replica.id)).toEqual([id]);
  });
  it('is retried when the endpoint that the create took over is deleted', async () => {
    const { service, id, outs } = await takeOver();
    await service.startProvider().delete(id, outs);
    expect(idsOf(service)).toEqual([]);
  });
});

describe('a create that fails while it can list no endpoints', () => {
  const fail = async (ageMs: number) => {
    const service = await startService({ operationMs: 30, readLagMs: 100 });
    const { emulator, project, branch } = service;
    const inputs = service.declare({ type: 'read_only' });
    const name = await derivedName(service, inputs);
    const older = { branch_id: branch.id, type: 'read_only', name } as const;
    // The create does not see it: the only list before the request lags behind.
    emulator.inject({ match: lists, effect: { kind: 'late-read', lateMs: 60_000 } });
    const refusal = emulator.inject({
      match: lists,
      times: 'always',
      effect: { kind: 'status', status: 403 },
    });
    emulator.createEndpoint(project.id, older, { ageMs });
    const failure = await failureOf(service.startProvider().create(inputs));
    refusal.clear();
    const state = { id: failure.id, inputs, outs: failure.properties as StoredOutputs }; // The provider's own outputs.
    await runUpdate(service.startProvider(), state, inputs);
    return { kept: failure.id, ids: idsOf(service) };
  };
  it('leaves the older duplicate to the next update', async () => {
    const { kept, ids } = await fail(5_000);
    expect(ids).toEqual([kept]);
  });
  it('leaves alone an endpoint that is too old for a create to have missed it', async () => {
    const { ids } = await fail(300_000);
    expect(ids).toHaveLength(2);
  });
});

it('a create keeps its endpoint when lists tell an earlier time of creation than the response', async () => {
  const service = await startService({ operationMs: 30 });
  const toSeconds = <Body extends object>(body: Body): Body =>
    JSON.parse(JSON.stringify(body).replace(/("created_at":"[^".]*)\.\d+Z/g, '$1Z'));
  const url = await startProxy(service.emulator.url, (method, _path, { status, body }) =>
    method === 'GET' && body ? { status, body: toSeconds(body) } : undefined,
  );
  const provider = service.startProvider({ POSTGRES_COMPUTE_BASE_URL: url });
  const { id } = await runCreate(provider, service.declare({ type: 'read_only' }));
  expect(idsOf(service)).toEqual([id]);
  const creates = service.emulator.requests().filter(({ method }) => method === 'POST');
  expect(creates).toHaveLength(1);
});

it('a create deletes no duplicate that another resource has in state', async () => {
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
  expect(idsOf(service).sort()).toEqual([id, kept.id].sort());
});

describe('a new resource with the old name of a renamed one', () => {
  it('is refused with a name of its own, too: its create would take over the endpoint', async () => {
    const service = await startService();
    const declared = service.declare({ type: 'read_only' });
    const renamed = { ...declared, name: await derivedName(service, declared), __urn: urnOf('renamed') };
    const { provider } = service;
    await provider.check(renamed, { ...declared, __urn: urnOf('renamed') });
    const { failures } = await provider.check({}, { ...declared, name: 'fresh' });
    expect(failures).toMatchObject([{ property: 'name', reason: expect.stringContaining(urnOf('renamed')) }]);
  });
  it('stops the run that finds its endpoint in state twice', async () => {
    const service = await startService();
    const inputs = service.declare();
    const { id, outs } = await runCreate(service.provider, inputs);
    const nextRun = service.startProvider();
    await nextRun.check(inputs, inputs);
    await nextRun.diff(id, outs, inputs);
    const renamed = { ...inputs, __urn: urnOf('renamed') };
    await nextRun.check(inputs, renamed);
    const again = nextRun.diff(id, outs, renamed);
    await expect(again).rejects.toThrow(`already belongs to ${urnOf('api')} in the same state`);
  });
});

it('an update after a failed create leaves alone what other people have changed, although it fails once', async () => {
  const service = await startService();
  const { emulator } = service;
  const failing = { match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } } as const;
  emulator.inject(failing);
  const inputs = service.declare();
  const { id = '', properties } = await failureOf(runCreate(service.startProvider(), inputs));
  emulator.changeEndpoint(id, { settings: { pg_settings: { work_mem: '64MB' } } });
  emulator.inject(failing);
  const update = (outs: unknown) =>
    runUpdate(service.startProvider(), { id, inputs, outs: outs as StoredOutputs }, inputs);
  await update((await failureOf(update(properties))).properties);
  expect(ownEndpoints(service)).toMatchObject([{ id, current_state: 'active' }]);
  expect(ownEndpoints(service)).toHaveProperty('0.settings.pg_settings.work_mem', '64MB');
});

it('an update repeats the suspension that failed when a create took over its endpoint and moved it', async () => {
  const service = await startService();
  const { emulator, project } = service;
  const program = service.declare({ type: 'read_only', __createsBeforeDelete: true });
  const { id } = await runCreate(service.startProvider(), program);
  const { id: branchId } = emulator.createBranch(project.id, { name: 'next' });
  emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-fails' } });
  const inputs = { ...program, branchId };
  const { properties } = await failureOf(runCreate(service.startProvider(), inputs));
  const state = { id, inputs, outs: properties as StoredOutputs };
  await runUpdate(service.startProvider(), state, inputs);
  expect(emulator.requests().filter(({ path }) => path.endsWith(`${id}/suspend`))).toHaveLength(1);
});
