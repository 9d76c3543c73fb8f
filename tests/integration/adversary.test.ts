import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { type EngineState, runCreate, runUpdate } from '../support/engine';
import { errorOf, type Failure } from '../support/failure';
import { ownEndpoints, type Service, startService, urnOf } from '../support/start-service';

const idsOf = (service: Service) => ownEndpoints(service).map(({ id }) => id);
const outcomeOf = <T>(work: Promise<T>): Promise<T | Failure> => work.catch((error: Failure) => error);
/** The state that the engine keeps after a failure that carries the endpoint. */
async function stateAfter(service: Service, failure: Failure, program: StoredInputs): Promise<EngineState> {
  const { inputs } = await service.startProvider().check({ ...program }, { ...program });
  return {
    id: failure.id as string,
    inputs: inputs as StoredInputs,
    outs: failure.properties as StoredOutputs,
  };
}
const derivedName = async (service: Service, inputs: StoredInputs) => {
  const { name: _, ...nameless } = inputs;
  const checked = await service.startProvider().check({}, nameless);
  return (checked.inputs as StoredInputs).name as string;
};
const lists = { method: 'GET', path: '/projects/:p/endpoints' };
const operationLists = { method: 'GET', path: '/projects/:p/operations' };

interface ProxiedResponse {
  readonly status: number;
  readonly body: { readonly endpoints?: { readonly branch_id: string }[] } | '';
}

/** Starts a proxy to the emulator. `rewrite` may replace a response. */
async function startProxy(
  target: string,
  rewrite: (method: string, path: string, response: ProxiedResponse) => ProxiedResponse | undefined,
) {
  const url = new URL(target);
  const server = createServer((req, res) => {
    const up = request(
      {
        host: url.hostname,
        port: url.port,
        method: req.method,
        path: req.url,
        headers: { ...req.headers, host: url.host },
      },
      async (incoming) => {
        let text = '';
        for await (const chunk of incoming) text += chunk;
        const response = { status: incoming.statusCode ?? 500, body: text && JSON.parse(text) };
        const { status, body } =
          rewrite(req.method ?? '', (req.url ?? '').replace(url.pathname, ''), response) ?? response;
        res
          .writeHead(status, { 'content-type': 'application/json' })
          .end(body === '' ? '' : JSON.stringify(body));
      },
    );
    req.pipe(up);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${url.pathname}`;
}

beforeEach(() => {
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  return () => vi.restoreAllMocks();
});

describe('after another process deletes an endpoint that lists still show', () => {
  it.each(['read_write', 'read_only'] as const)(
    'a create of a %s endpoint does not return the deleted endpoint',
    async (type) => {
      const service = await startService({ operationMs: 30, readLagMs: 800, lateListsMs: 400 });
      const first = await runCreate(service.startProvider(), service.declare({ type }));
      await service.startProvider().delete(first.id, first.outs);
      const second = await outcomeOf(runCreate(service.startProvider(), service.declare({ type })));
      if (!(second instanceof Error)) expect(idsOf(service)).toEqual([second.id]);
    },
  );
  it('adopt: true does not bring the deleted endpoint into state', async () => {
    const service = await startService({ operationMs: 30, readLagMs: 800, lateListsMs: 400 });
    const first = await runCreate(service.startProvider(), service.declare({ name: 'x' }));
    await service.startProvider().delete(first.id, first.outs);
    const second = await outcomeOf(
      runCreate(service.startProvider(), service.declare({ name: 'x', adopt: true })),
    );
    if (!(second instanceof Error)) expect(idsOf(service)).toEqual([second.id]);
  });
});

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
  it('stays in state when both reads of a refresh right after the create lag', async () => {
    const service = await startService({ operationMs: 30, readLagMs: 800 });
    const { id, outs } = await runCreate(service.startProvider(), service.declare());
    service.emulator.inject({
      match: { method: 'GET' },
      times: 2,
      effect: { kind: 'late-read', lateMs: 60_000 },
    });
    expect(await service.startProvider().read(id, outs)).toMatchObject({ id });
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
});

describe('an unfinished or failed operation', () => {
  it('is retried again when the retry of a failed start is refused', async () => {
    const service = await startService();
    service.emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } });
    const first = await errorOf(runCreate(service.startProvider(), service.declare()));
    const state = await stateAfter(service, first, service.declare());
    service.emulator.inject({ match: { method: 'POST' }, effect: { kind: 'status', status: 403 } });
    const second = await errorOf(runUpdate(service.startProvider(), state, state.inputs));
    await runUpdate(
      service.startProvider(),
      { ...state, outs: second.properties as StoredOutputs },
      state.inputs,
    );
    expect(ownEndpoints(service)[0]?.current_state).toBe('active');
  });
  it('stays in state when its lookup is refused after waitForOperations: false', async () => {
    const service = await startService();
    service.emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-hangs' } });
    const state = await runCreate(service.startProvider(), service.declare({ waitForOperations: false }));
    const path = '/projects/:p/operations/:o';
    service.emulator.inject({ match: { path }, effect: { kind: 'status', status: 403 } });
    const failure = await errorOf(runUpdate(service.startProvider(), state, state.inputs));
    expect(failure.properties?.unsettledOperations).toHaveLength(1);
  });
  it('stays in state when allowRestart: false stops the retry of a failed suspension', async () => {
    const service = await startService();
    const state = await runCreate(service.startProvider(), service.declare());
    const target = service.emulator.createBranch(service.project.id);
    service.emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-fails' } });
    const moved = service.declare({ branchId: target.id, waitForOperations: false });
    const next = await runUpdate(service.startProvider(), state, moved);
    await expect
      .poll(() => service.emulator.operations(service.project.id).some(({ status }) => status === 'failed'))
      .toBe(true);
    const gated = service.declare({ branchId: target.id, allowRestart: false });
    const failure = await errorOf(runUpdate(service.startProvider(), next, gated));
    expect(failure.properties?.unsettledOperations ?? failure.properties?.__unapplied).toBeDefined();
  });
  it('is retried when the response of its create is lost and one list of operations is refused', async () => {
    const service = await startService();
    service.emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } });
    service.emulator.inject({ match: { method: 'POST' }, effect: { kind: 'lost-after-work' } });
    service.emulator.inject({ match: operationLists, effect: { kind: 'status', status: 403 } });
    await runCreate(service.startProvider(), service.declare());
    expect(ownEndpoints(service)[0]?.current_state).toBe('active');
  });
});

describe('an unfinished write', () => {
  it('does not succeed before the compute is active when the POST response is lost and lists of operations lag', async () => {
    const service = await startService({ operationMs: 2_500, readLagMs: 800 });
    service.emulator.inject({
      match: operationLists,
      times: 'always',
      effect: { kind: 'late-read', lateMs: 300 },
    });
    service.emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } });
    service.emulator.inject({ match: { method: 'POST' }, effect: { kind: 'lost-after-work' } });
    const created = await outcomeOf(runCreate(service.startProvider(), service.declare()));
    if (!(created instanceof Error)) expect(ownEndpoints(service)[0]?.current_state).toBe('active');
  });
  it('fails with its operation when the PATCH response is lost and all lists lag', async () => {
    const operationMs = { default: 20, apply_config: 1_500 };
    const service = await startService({ operationMs, readLagMs: 800, lateListsMs: 300, locks: 'none' });
    const state = await runCreate(service.startProvider(), service.declare());
    service.emulator.inject({ match: { action: 'apply_config' }, effect: { kind: 'operation-fails' } });
    service.emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'lost-after-work' } });
    const desired = service.declare({ suspendTimeoutSeconds: 900 });
    await errorOf(runUpdate(service.startProvider(), state, desired));
  });
  it('retries a start that failed after a resumed operation', async () => {
    const service = await startService();
    const { emulator, project } = service;
    const { id, inputs, outs } = await runCreate(service.startProvider(), service.declare());
    const running = { action: 'apply_config', status: 'running' };
    const applying = emulator.addOperation(project.id, { ...running, endpointId: id });
    const olds = { ...outs, unsettledOperations: [{ id: applying.operation.id, ...running }] };
    setTimeout(() => {
      emulator.addOperation(project.id, { action: 'start_compute', status: 'failed', endpointId: id });
      applying.finish();
    }, 100);
    await service.startProvider().update(id, olds, inputs);
    expect(emulator.requests().filter(({ path }) => path.endsWith('/start'))).toHaveLength(1);
  });
  it('sends a failed change again when its first retry is lost', async () => {
    const service = await startService();
    const { emulator } = service;
    const state = await runCreate(service.startProvider(), service.declare());
    emulator.inject({ match: { action: 'apply_config' }, effect: { kind: 'operation-fails' } });
    const desired = { ...state.inputs, suspendTimeoutSeconds: 900 };
    const failure = await errorOf(runUpdate(service.startProvider(), state, desired));
    emulator.addOperation(service.project.id, { action: 'create_branch', status: 'finished' });
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    emulator.addOperation(service.project.id, { action: 'create_branch', status: 'finished' });
    emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'lost-before-work' } });
    const before = emulator.requests().length;
    const olds = { id: state.id, inputs: desired, outs: failure.properties as StoredOutputs };
    await outcomeOf(runUpdate(service.startProvider(), olds, desired));
    const patches = emulator
      .requests()
      .slice(before)
      .filter(({ method }) => method === 'PATCH');
    expect(patches.map(({ status }) => status)).toContain(200);
  });
  it('is not a successful delete when the operation is skipped and the endpoint still exists', async () => {
    const service = await startService();
    const { id, outs } = await runCreate(service.startProvider(), service.declare());
    service.emulator.inject({
      match: { action: 'suspend_compute' },
      effect: { kind: 'operation-status', status: 'skipped' },
    });
    const outcome = await outcomeOf(service.startProvider().delete(id, outs));
    expect([outcome instanceof Error, ownEndpoints(service).length]).not.toEqual([false, 1]);
  });
});

describe('a restart', () => {
  it('happens once when size and trigger change together and the PATCH response arrives after the time-out', async () => {
    const service = await startService();
    const state = await runCreate(
      service.startProvider(),
      service.declare({ restartTriggers: { release: '1' } }),
    );
    service.emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'slow', delayMs: 2_500 } });
    const desired = service.declare({ restartTriggers: { release: '2' }, autoscalingLimitMaxCu: 2 });
    await runUpdate(service.startProvider(), state, desired);
    expect(service.emulator.connectionDrops(state.id)).toBe(1);
  });
  it('is stopped by allowRestart: false when the compute wakes while the write waits for a lock', async () => {
    const service = await startService({ operationMs: 5 });
    const { emulator, project } = service;
    const state = await runCreate(service.startProvider(), service.declare({ allowRestart: false }));
    const headers = { authorization: `Bearer ${emulator.apiKey}` };
    await fetch(`${emulator.url}/projects/${project.id}/endpoints/${state.id}/suspend`, {
      method: 'POST',
      headers,
    });
    await expect.poll(() => ownEndpoints(service)[0]?.current_state).toBe('idle');
    const before = emulator.connectionDrops(state.id);
    const release = emulator.lockProject(project.id);
    const desired = service.declare({ allowRestart: false, autoscalingLimitMaxCu: 2 });
    const update = outcomeOf(runUpdate(service.startProvider(), state, desired));
    await expect.poll(() => emulator.requests().some(({ status }) => status === 423)).toBe(true);
    release();
    emulator.connect(state.id);
    await update;
    expect(emulator.connectionDrops(state.id)).toBe(before);
  });
  it('is not allowed by postgresCompute:allowRestart "False"', async () => {
    const service = await startService();
    const state = await runCreate(service.startProvider(), service.declare());
    const provider = service.startProvider();
    const get = (key: string) => (key === 'postgresCompute:allowRestart' ? 'False' : undefined);
    await provider.configure({ config: { get } } as never);
    await errorOf(runUpdate(provider, state, service.declare({ autoscalingLimitMaxCu: 2 })));
  });
});

describe('an endpoint of another resource', () => {
  it('is not adopted by a new resource of the same run', async () => {
    const service = await startService();
    const app = service.declare({ __urn: urnOf('app') });
    const state = await runCreate(service.startProvider(), app);
    const run = service.startProvider();
    const first = await outcomeOf(run.create(service.declare({ __urn: urnOf('first'), adopt: true })));
    const { inputs } = await run.check({ ...state.inputs }, { ...app });
    const second = await outcomeOf(run.diff(state.id, state.outs, inputs as StoredInputs));
    expect([first, second].some((outcome) => outcome instanceof Error)).toBe(true);
  });
  it('is not moved to another branch by the same project, stack and resource name in another backend', async () => {
    const service = await startService();
    const { id } = await runCreate(service.startProvider(), service.declare());
    const { id: branchId } = service.emulator.createBranch(service.project.id);
    await outcomeOf(runCreate(service.startProvider(), service.declare({ branchId })));
    expect(idsOf(service)).toEqual([id]);
  });
});

describe('a secret', () => {
  it('is redacted when the change that removes it fails', async () => {
    const service = await startService();
    const state = await runCreate(
      service.startProvider(),
      service.declare({ pgSettings: { 'app.key': 'old-canary' } }),
    );
    const message = 'app.key is old-canary and can not become new-canary';
    service.emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'status', status: 422, message } });
    const desired = service.declare({ pgSettings: { 'app.key': 'new-canary' } });
    expect((await errorOf(runUpdate(service.startProvider(), state, desired))).message).not.toContain(
      'canary',
    );
  });
  it('is not copied to restartOnChange when it is a size', async () => {
    const service = await startService();
    const sizes = { autoscalingLimitMinCu: 3, autoscalingLimitMaxCu: 5 };
    const { inputs } = await service
      .startProvider()
      .check({}, { ...service.declare({ ...sizes, __secrets: Object.keys(sizes) }) });
    expect((inputs as StoredInputs).restartOnChange ?? '').not.toMatch(/3|5/);
  });
  it('is redacted only if it is not a common word such as true or false', async () => {
    const service = await startService();
    const old = service.declare({ allowRestart: false, restartTriggers: { on: false } });
    const state = await runCreate(service.startProvider(), old);
    const desired = { ...old, restartTriggers: { on: false, also: true } };
    const { message } = await errorOf(runUpdate(service.startProvider(), state, desired));
    expect(message).toMatch(/allowRestart is false.*set allowRestart: true/);
  });
});

describe('a deadline', () => {
  const within = <T>(ms: number, work: Promise<T>) =>
    Promise.race([
      outcomeOf(work),
      new Promise<'pending'>((resolve) => {
        setTimeout(resolve, ms, 'pending');
      }),
    ]);
  it('ends a create whose response is lost when operations cannot be listed', async () => {
    const service = await startService();
    service.emulator.inject({ match: { method: 'POST' }, effect: { kind: 'lost-after-work' } });
    service.emulator.inject({
      match: operationLists,
      times: 'always',
      effect: { kind: 'status', status: 503 },
    });
    const create = service.startProvider().create(service.declare({ timeouts: { create: 1 } }));
    expect(await within(10_000, create)).not.toBe('pending');
  });
  it('ends a delete when endpoints cannot be listed', async () => {
    const service = await startService();
    const { id, outs } = await runCreate(service.startProvider(), service.declare());
    service.emulator.deleteEndpoint(id);
    service.emulator.inject({ match: lists, times: 'always', effect: { kind: 'status', status: 503 } });
    expect(
      await within(10_000, service.startProvider().delete(id, { ...outs, timeouts: { delete: 1 } })),
    ).not.toBe('pending');
  });
  it('ends only the update whose operation cannot be read, and not the create of another resource', async () => {
    const service = await startService({ operationMs: 50 });
    const first = await runCreate(service.startProvider(), service.declare({ __urn: urnOf('a') }));
    const stuck = '11111111-1111-4111-8111-111111111111';
    const path = `/projects/:p/operations/${stuck}`;
    service.emulator.inject({ match: { path }, times: 'always', effect: { kind: 'status', status: 500 } });
    const run = service.startProvider();
    const olds = {
      ...first.outs,
      unsettledOperations: [{ id: stuck, action: 'apply_config', status: 'running' }],
    };
    const waiting = outcomeOf(run.update(first.id, olds, { ...first.inputs, timeouts: { update: 4 } }));
    const { id: branchId } = service.emulator.createBranch(service.project.id);
    const second = service.declare({ __urn: urnOf('b'), branchId, timeouts: { create: 3 } });
    expect(await outcomeOf(runCreate(run, second))).not.toBeInstanceOf(Error);
    await waiting;
  });
});
