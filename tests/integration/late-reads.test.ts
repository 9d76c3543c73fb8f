import { setTimeout as sleep } from 'node:timers/promises';
import type { EmulatorOptions } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { DynamicPartialStateError } from '../../provider/src/dynamic/host-errors';
import type { StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { silenceDiagnostics } from '../support/diagnostics';
import { runCreate, runUpdate } from '../support/engine';
import { failureOf, outcomeOf } from '../support/failure';
import { idsOf, ownEndpoints, startService } from '../support/start-service';
import { until } from '../support/virtual-world';

silenceDiagnostics();

const lags: [string, EmulatorOptions][] = [
  ['lists', { lateListsMs: 200 }],
  ['single reads', { lateGetsMs: 200 }],
  ['all reads', { lateListsMs: 200, lateGetsMs: 200 }],
];

/** Reads lag by more than the duration of an operation, but by less than the grace period. */
const start = (options: EmulatorOptions) => startService({ operationMs: 30, readLagMs: 800, ...options });

describe.each(lags)('when %s lag behind writes', (_what, options) => {
  it.each(['read_write', 'read_only'] as const)(
    'a create of a %s endpoint waits until its compute is active',
    async (type) => {
      const service = await start(options);
      const { id, outs } = await runCreate(service.startProvider(), service.declare({ type }));
      expect(ownEndpoints(service)).toMatchObject([{ id, current_state: 'active' }]);
      expect(outs.unsettledOperations).toBeUndefined();
    },
  );

  it('a create ends with the declared name', async () => {
    const service = await start(options);
    const { id, outs } = await runCreate(service.startProvider(), service.declare({ name: 'api' }));
    expect(ownEndpoints(service)).toMatchObject([{ id, name: 'api' }]);
    expect(outs.name).toBe('api');
  });

  it('a change of size is applied once, and awaited', async () => {
    const service = await start(options);
    const state = await runCreate(service.startProvider(), service.declare());
    const desired = service.declare({ autoscalingLimitMaxCu: 2 });
    const { outs } = await runUpdate(service.startProvider(), state, desired);
    expect(ownEndpoints(service)).toMatchObject([{ current_state: 'active', autoscaling_limit_max_cu: 2 }]);
    expect(outs).toMatchObject({ autoscalingLimitMaxCu: 2 });
    expect(service.emulator.restarts(state.id)).toBe(1);
  });

  it('a trigger restarts the compute right after another restart', async () => {
    const service = await start(options);
    const provider = service.startProvider();
    const first = await runCreate(provider, service.declare({ restartTriggers: { release: '1' } }));
    const second = await runUpdate(provider, first, service.declare({ restartTriggers: { release: '2' } }));
    await runUpdate(provider, second, service.declare({ restartTriggers: { release: '3' } }));
    expect(service.emulator.connectionDrops(first.id)).toBe(2);
    expect(ownEndpoints(service)[0]?.current_state).toBe('active');
  });

  it('a delete returns once the endpoint no longer exists', async () => {
    const service = await start(options);
    const { id, outs } = await runCreate(service.startProvider(), service.declare());
    await service.startProvider().delete(id, outs);
    expect(ownEndpoints(service)).toEqual([]);
  });

  it.each(['read_write', 'read_only'] as const)(
    'a create of a %s endpoint whose response is lost leaves one endpoint',
    async (type) => {
      const service = await start(options);
      service.emulator.inject({ match: { method: 'POST' }, effect: { kind: 'lost-after-work' } });
      const { id } = await runCreate(service.startProvider(), service.declare({ type }));
      expect(ownEndpoints(service).map((endpoint) => endpoint.id)).toEqual([id]);
    },
  );

  it('a create right after a killed one leaves one endpoint', async () => {
    const service = await start(options);
    const inputs = service.declare();
    const killed = service.startProvider().create(inputs);
    await until(() => ownEndpoints(service).length === 1);
    const { id } = await runCreate(service.startProvider(), inputs);
    expect((await killed).id).toBe(id);
    expect(idsOf(service)).toEqual([id]);
  });

  it('two concurrent creates of one read_write endpoint leave one, and both return it', async () => {
    const service = await start(options);
    const providers = [service.startProvider(), service.startProvider()];
    const created = await Promise.all(providers.map((provider) => runCreate(provider, service.declare())));
    expect(idsOf(service)).toEqual([created[0]?.id]);
    expect(created[1]?.id).toBe(created[0]?.id);
  });

  it('a refresh right after a create keeps the endpoint', async () => {
    const service = await start(options);
    const { id, outs } = await runCreate(service.startProvider(), service.declare());
    expect(await service.startProvider().read(id, outs)).toMatchObject({ id });
  });
});

it('a refresh that reads the values from before a stop does not take it back', async () => {
  const service = await start({ lateListsMs: 400, lateGetsMs: 400 });
  const { emulator, project } = service;
  const created = await runCreate(service.startProvider(), service.declare());
  const { id } = created;
  const stop = service.declare({ disabled: true, waitForOperations: false });
  await sleep(500);
  emulator.inject({ match: { action: 'suspend_compute' }, times: 1, effect: { kind: 'operation-fails' } });
  let state = await runUpdate(service.startProvider(), created, stop);
  for (const disabled of [false, true]) {
    const read = await service.startProvider().read(id, state.outs);
    expect(read.props).toMatchObject({ disabled });
    state = { ...state, outs: read.props as StoredOutputs };
    await sleep(1_000);
  }
  expect(emulator.operations(project.id)[0]).toMatchObject({ status: 'failed' });
  await runUpdate(service.startProvider(), state, service.declare({ disabled: true }));
  expect(ownEndpoints(service)).toMatchObject([{ disabled: true, current_state: 'idle' }]);
});

describe('reads that lag by more than the grace period', () => {
  it('fail the create, which keeps the new endpoint in state', async () => {
    const service = await startService({ lateListsMs: 60_000, lateGetsMs: 60_000, readLagMs: 100 });
    const create = service.startProvider().create(service.declare({ timeouts: { create: 1 } }));
    const failure = await create.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DynamicPartialStateError);
    expect(failure).toMatchObject({
      id: ownEndpoints(service)[0]?.id,
      message: expect.stringContaining('the endpoint no longer exists'),
    });
  });
});

describe('an operation that the service never shows', () => {
  it('fails the create while the endpoint is still becoming active', async () => {
    const service = await startService({ operationMs: 5_000, readLagMs: 100 });
    const { emulator } = service;
    emulator.inject({
      match: { method: 'GET', path: '/projects/:p/operations' },
      times: 'always',
      effect: { kind: 'late-read', lateMs: 60_000 },
    });
    emulator.inject({
      match: { method: 'GET', path: '/projects/:p/operations/:o' },
      times: 'always',
      effect: { kind: 'late-read', lateMs: 60_000 },
    });
    const create = service.startProvider().create(service.declare({ timeouts: { create: 0.6 } }));
    await expect(create).rejects.toThrow(
      /no longer shows its operation, and the endpoint is still becoming active/,
    );
  });
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

  it('a create on another branch takes the name of the deleted endpoint', async () => {
    const service = await startService({ operationMs: 30, readLagMs: 800, lateListsMs: 400 });
    const { id: otherBranch } = service.emulator.createBranch(service.project.id);
    const declared = service.declare({ name: 'api' });
    const first = await runCreate(service.startProvider(), { ...declared, branchId: otherBranch });
    await service.startProvider().delete(first.id, first.outs);
    const second = await runCreate(service.startProvider(), declared);
    expect(ownEndpoints(service)).toMatchObject([
      { id: second.id, name: 'api', branch_id: declared.branchId },
    ]);
  });
});

it('a refresh believes the first reads of an endpoint that others have deleted', async () => {
  const service = await startService({ operationMs: 30 });
  const { emulator } = service;
  const { id, outs } = await runCreate(service.startProvider(), service.declare());
  emulator.deleteEndpoint(id);
  await until(() => idsOf(service).length === 0);
  const before = emulator.requests().length;
  expect(await service.startProvider().read(id, outs)).toEqual({});
  expect(emulator.requests().length - before).toBe(2);
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
    await until(() => ownEndpoints(service).length === 1);
    // Longer than an operation may be missing and a read may lag behind.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const [endpoint] = ownEndpoints(service);
    if (how === 'is deleted') emulator.deleteEndpoint(endpoint?.id ?? '');
    else emulator.changeEndpoint(endpoint?.id ?? '', { suspend_timeout_seconds: 90 });
    expect((await created).message).toContain(reason);
    expect(Date.now() - startedAt).toBeLessThan(8_000);
  });
});

it('a restart ends before the read lag does, although another client has changed what the program leaves out', async () => {
  const service = await startService({ operationMs: 0, readLagMs: 20_000 });
  const before = await runCreate(
    service.startProvider(),
    service.declare({ restartTriggers: { release: '1' } }),
  );
  service.emulator.changeEndpoint(before.id, { suspend_timeout_seconds: 90 });
  const { outs } = await runUpdate(
    service.startProvider(),
    before,
    service.declare({ restartTriggers: { release: '2' } }),
  );
  expect((outs as StoredOutputs).suspendTimeoutSeconds).toBe(90);
});
