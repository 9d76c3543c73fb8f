import { describe, expect, it } from 'vitest';
import type { StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { runUp } from '../support/door';
import { dynamicDoor } from '../support/dynamic-door';
import { runCreate } from '../support/engine';
import { startDoor } from '../support/start-door';
import { createEndpoint, ownEndpoints, type Service, startService } from '../support/start-service';

const urn = (name: string) =>
  `urn:pulumi:test::shop::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::${name}`;

const held = (service: Service, id: string) =>
  service.emulator.endpoints().find((endpoint) => endpoint.id === id);

describe('adopt: true', () => {
  it('takes over the default endpoint, updates its size and keeps its name', async () => {
    const service = await startService();
    const [primary] = service.emulator.endpoints(service.project.id);
    const { name: _, ...unnamed } = service.declare({ branchId: primary?.branch_id ?? '', adopt: true });
    const { id, outs } = await createEndpoint(service, {
      ...unnamed,
      autoscalingLimitMaxCu: 2,
      __urn: urn('app'),
    });
    expect(id).toBe(primary?.id);
    expect(held(service, id)).toMatchObject({ autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 2 });
    expect(outs.name).toBe(primary?.name);
  });

  it('creates an endpoint when the branch has none', async () => {
    const service = await startService();
    const { name: _, ...unnamed } = service.declare({ adopt: true, __urn: urn('app') });
    const { id } = await createEndpoint(service, unnamed);
    expect(held(service, id)?.name).toMatch(/^shop-test-app-[0-9a-f]{8}$/);
  });

  it('creates a read replica instead of taking over the read_write endpoint', async () => {
    const service = await startService();
    const [primary] = service.emulator.endpoints(service.project.id);
    const branchId = primary?.branch_id ?? '';
    const { id } = await createEndpoint(
      service,
      service.declare({ branchId, type: 'read_only', adopt: true, name: 'api' }),
    );
    expect(id).not.toBe(primary?.id);
    expect(held(service, id)).toMatchObject({ type: 'read_only', name: 'api' });
  });

  it('does not derive a name after it is removed from the program', async () => {
    const service = await startService();
    const olds = { projectId: 'p-1', branchId: 'br-1', type: 'read_write', adopt: true, __urn: urn('app') };
    const { adopt: _, ...news } = olds;
    expect((await service.provider.check(olds, news)).inputs).not.toHaveProperty('name');
  });
});

describe('restartTriggers', () => {
  it('restart an active compute once, by suspend and start', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(
      service,
      service.declare({ restartTriggers: { release: '1' } }),
    );
    const desired = service.declare({ restartTriggers: { release: '2' } });
    const updated = await service.provider.update(id, outs, desired);
    const calls = service.emulator
      .requests()
      .filter(({ method }) => method !== 'GET')
      .map(({ path }) => path.split('/').pop());
    expect(calls).toEqual(['endpoints', 'suspend', 'start']);
    expect(held(service, id)?.current_state).toBe('active');
    expect(await service.provider.diff(id, updated.outs as StoredOutputs, desired)).toMatchObject({
      changes: false,
    });
  });

  it('do not start the compute of a disabled endpoint', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service);
    service.emulator.changeEndpoint(id, { disabled: true });
    await service.provider.update(id, outs, service.declare({ restartTriggers: { release: '2' } }));
    expect(service.emulator.requests().filter(({ path }) => path.endsWith('/start'))).toEqual([]);
    expect(held(service, id)?.current_state).toBe('idle');
  });

  it('restart the compute once together with a change of size', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service);
    const desired = service.declare({ autoscalingLimitMaxCu: 2, restartTriggers: { release: '2' } });
    await service.provider.update(id, outs, desired);
    expect(service.emulator.restarts(id)).toBe(1);
    expect(service.emulator.requests().filter(({ path }) => path.endsWith('/suspend'))).toEqual([]);
  });
});

describe('drift of an attribute', () => {
  it.each([
    ['autoscalingLimitMaxCu', { autoscaling_limit_max_cu: 4 }, 1],
    ['autoscalingLimitMinCu', { autoscaling_limit_min_cu: 0.5 }, 0.25],
    ['suspendTimeoutSeconds', { suspend_timeout_seconds: 60 }, 600],
    ['pgSettings', { settings: { pg_settings: { work_mem: '1MB' } } }, { work_mem: '8MB' }],
    ['poolerEnabled', { pooler_enabled: true }, false],
    ['disabled', { disabled: true }, false],
    ['passwordlessAccess', { passwordless_access: false }, true],
    ['name', { name: 'other' }, 'api'],
  ] as const)('is found by a refresh and reverted by an update: %s', async (name, change, declared) => {
    const service = await startService();
    const desired = service.declare({
      name: 'api',
      suspendTimeoutSeconds: 600,
      pgSettings: { work_mem: '8MB' },
      poolerEnabled: false,
      disabled: false,
      passwordlessAccess: true,
    });
    const { id, outs } = await createEndpoint(service, desired);
    service.emulator.changeEndpoint(id, structuredClone(change));
    const { inputs, props } = await service.provider.read(id, outs);
    expect(inputs?.[name]).not.toEqual(declared);
    expect(await service.provider.diff(id, props ?? outs, desired)).toMatchObject({ changes: true });
    const updated = await service.provider.update(id, props ?? outs, desired);
    expect(updated.outs?.[name]).toEqual(declared);
  });
});

describe('an endpoint', () => {
  it('that a renamed resource adopts is not deleted by the old resource', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service, service.declare({ name: 'api', __urn: urn('old') }));
    const nextRun = service.startProvider();
    const moved = await nextRun.create(service.declare({ name: 'api', adopt: true, __urn: urn('new') }));
    expect(moved.id).toBe(id);
    await nextRun.delete(id, outs);
    expect(held(service, id)).toBeDefined();
  });

  it('of a resource that the program keeps is not adopted by a second resource of the same name', async () => {
    const service = await startService();
    const inputs = service.declare({ name: 'api', __urn: urn('first') });
    const { id, outs } = await createEndpoint(service, inputs);
    const nextRun = service.startProvider();
    await nextRun.check(inputs, inputs);
    await nextRun.diff(id, outs, inputs);
    await expect(nextRun.create({ ...inputs, adopt: true, __urn: urn('second') })).rejects.toThrow(
      /belongs to urn:.*::first/,
    );
  });

  it('that is replaced under another URN is deleted', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service, service.declare({ __urn: urn('old') }));
    await service.provider.diff(id, outs, service.declare({ type: 'read_only', __urn: urn('new') }));
    await service.startProvider().delete(id, outs);
    expect(held(service, id)).toBeUndefined();
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

it('a take-over of its own endpoint does not wait for the read lag if the service adds settings', async () => {
  const { emulator, startRun, declare } = await startDoor(dynamicDoor, {
    normalizeSettings: true,
    readLagMs: 3_000,
  });
  const program = declare({ pgSettings: { work_mem: '8MB' } });
  await runUp(await startRun(), program); // Killed: nothing is in state.
  const sent = emulator.requests().length;
  await runUp(await startRun(), program);
  const lists = emulator
    .requests()
    .slice(sent)
    .filter(({ path }) => path.endsWith('/operations'));
  expect(lists.length).toBeLessThan(4);
});
