import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { silenceDiagnostics } from '../support/diagnostics';
import { runCreate, runUpdate } from '../support/engine';
import { outcomeOf } from '../support/failure';
import { ownEndpoints, type Service, startService, urnOf } from '../support/start-service';
import { until } from '../support/virtual-world';

silenceDiagnostics();

const lists = { method: 'GET', path: '/projects/:p/endpoints' };
const operationLists = { method: 'GET', path: '/projects/:p/operations' };

const writesOf = ({ emulator }: Service) =>
  emulator
    .requests()
    .flatMap(({ method, path }) => (method === 'GET' ? [] : [`${method} ${path.split('/').pop()}`]));

describe('waitForOperations: false', () => {
  const unawaited = { waitForOperations: false };

  it('restarts the compute once when a trigger changes', async () => {
    const service = await startService({ locks: 'none', operationMs: 100 });
    const first = await runCreate(service.startProvider(), service.declare());
    const desired = service.declare({ ...unawaited, restartTriggers: { release: '2' } });
    let state = await runUpdate(service.startProvider(), first, desired);
    for (let round = 1; round <= 3; round += 1) {
      await sleep(60);
      state = await runUpdate(service.startProvider(), state, desired);
    }
    expect(writesOf(service).filter((write) => write.endsWith('suspend'))).toHaveLength(1);
    expect(service.emulator.connectionDrops(first.id)).toBe(1);
  });
});

describe('an operation that the service starts by itself', () => {
  it('neither fails a create nor stays in its outputs when it fails', async () => {
    const service = await startService({ operationMs: 200 });
    const create = runCreate(service.startProvider(), service.declare());
    await until(() => ownEndpoints(service).length === 1);
    const endpointId = ownEndpoints(service)[0]?.id ?? '';
    service.emulator.addOperation(service.project.id, {
      action: 'suspend_compute',
      status: 'failed',
      endpointId,
    });
    const { outs } = await create;
    expect(outs.unsettledOperations).toBeUndefined();
  });
});

describe('a service that normalizes settings', () => {
  it('causes neither a failure nor drift', async () => {
    const service = await startService({ normalizeSettings: true });
    const pgSettings = { Work_Mem: '64MB', statement_timeout: '1min', enable_seqscan: 'off' };
    const inputs = service.declare({ pgSettings });
    const state = await runCreate(service.startProvider(), inputs);
    expect(state.outs.pgSettings).toEqual(pgSettings);
    const run = service.startProvider();
    const { props } = await run.read(state.id, state.outs);
    expect(props?.pgSettings).toEqual(pgSettings);
    expect(await run.diff(state.id, state.outs, state.inputs)).toMatchObject({ changes: false });
    await runUpdate(service.startProvider(), state, service.declare({ pgSettings: { work_mem: '32MB' } }));
    expect(ownEndpoints(service)[0]?.settings.pg_settings).toMatchObject({ work_mem: '32768kB' });
  });
});

it('a resumed create finds its own operation behind 1,100 newer ones', async () => {
  const service = await startService({ operationMs: 700 });
  const killed = service
    .startProvider()
    .create(service.declare())
    .catch(() => undefined);
  await until(() => ownEndpoints(service).length === 1);
  for (let index = 0; index < 1_100; index += 1)
    service.emulator.addOperation(service.project.id, { action: 'check_availability', status: 'finished' });
  const { outs } = await runCreate(service.startProvider(), service.declare());
  expect(ownEndpoints(service)[0]?.current_state).toBe('active');
  expect(outs.unsettledOperations).toBeUndefined();
  await killed;
});

describe('an old operation that never finishes', () => {
  it('does not block the retry of a write after a 423', async () => {
    const service = await startService();
    service.emulator.addOperation(service.project.id, {
      action: 'apply_config',
      status: 'pondering',
      ageMs: 3_600_000,
    });
    service.emulator.inject({ match: { method: 'POST' }, effect: { kind: 'status', status: 423 } });
    const { id } = await runCreate(service.startProvider(), service.declare());
    expect(ownEndpoints(service)).toMatchObject([{ id, current_state: 'active' }]);
  });
});

it('a lock that outlasts the deadline fails every queued write together with the first', async () => {
  const service = await startService();
  service.emulator.lockProject(service.project.id);
  const provider = service.startProvider();
  const startedAt = Date.now();
  const creates = Array.from({ length: 20 }, (_, index) =>
    provider
      .create(service.declare({ type: 'read_only', __urn: urnOf(`r${index}`), timeouts: { create: 1.5 } }))
      .catch((error: unknown) => (error as Error).message),
  );
  const failures = await Promise.all(creates);
  // In sequence, they would take 30 s.
  expect(Date.now() - startedAt).toBeLessThan(15_000);
  expect(failures[0]).toContain('423 Locked');
  expect(
    failures
      .slice(1)
      .every((failure) =>
        /^The project is locked .* so this one did not wait\. It changed nothing/.test(String(failure)),
      ),
  ).toBe(true);
});

describe('a deadline bounds', () => {
  it.each([3_600, 86_400])('a pause requested with Retry-After: %d', async (retryAfterSeconds) => {
    const service = await startService();
    service.emulator.inject({
      match: { method: 'POST' },
      times: 'always',
      effect: { kind: 'status', status: 429, retryAfterSeconds },
    });
    const provider = service.startProvider();
    const startedAt = Date.now();
    const inputs = (name: string) => service.declare({ name, type: 'read_only', timeouts: { create: 0.3 } });
    const failures = await Promise.allSettled(['a', 'b'].map((name) => provider.create(inputs(name))));
    expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(provider.create(inputs('c'))).rejects.toThrow(
      /the service returned 429 and asked to wait|no response within/,
    );
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });

  it('a request that gets no response', async () => {
    const service = await startService();
    service.emulator.inject({
      match: { method: 'POST' },
      times: 'always',
      effect: { kind: 'slow', delayMs: 60_000, when: 'before-work' },
    });
    const startedAt = Date.now();
    const create = service.startProvider().create(service.declare({ timeouts: { create: 0.3 } }));
    await expect(create).rejects.toThrow(/POST \S+: no usable response/);
    expect(Date.now() - startedAt).toBeLessThan(1_900);
  });
});

it('a create succeeds despite one 403 on a poll', async () => {
  const service = await startService({ operationMs: 200 });
  const path = '/projects/:p/operations';
  service.emulator.inject({ match: { path }, effect: { kind: 'status', status: 403 } });
  const { id } = await runCreate(service.startProvider(), service.declare());
  expect(ownEndpoints(service)).toMatchObject([{ id, current_state: 'active' }]);
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
