import type { ForeignOperation, NewEndpointAttributes } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { newDataFile, restart, start } from '../support/data-emulator';
import { sendRequest } from '../support/send-request';
import { startService } from '../support/service-client';

const AN_HOUR_MS = 3_600_000;
const A_DAY_MS = 24 * AN_HOUR_MS;

describe("another client's operation", () => {
  it.each(['running', 'finished', 'failed', 'pondering'])(
    "another client's operation keeps the status %s and locks nothing",
    async (status) => {
      const { emulator, project, create, call } = await startService();
      const { operation } = emulator.addOperation(project.id, { action: 'tenant_reattach', status });
      expect((await create()).status).toBe(201);
      const path = `/projects/${project.id}/operations/${operation.id}`;
      expect((await call('GET', path)).body?.operation).toEqual(operation);
      expect(operation).toMatchObject({ action: 'tenant_reattach', status });
    },
  );

  it("another client's operation is listed by its age, at a time of its own", async () => {
    const { emulator, project, createActive } = await startService();
    const ages = [0, A_DAY_MS, AN_HOUR_MS, A_DAY_MS];
    for (const ageMs of ages) {
      emulator.addOperation(project.id, { action: 'apply_config', status: 'finished', ageMs });
    }
    await createActive();
    const held = emulator.operations(project.id);
    const times = held.map(({ created_at }) => created_at);
    expect(times).toEqual([...new Set(times)].toSorted().reverse());
    const oldest = held.at(-1);
    expect(Date.now() - Date.parse(oldest?.created_at ?? '')).toBeGreaterThanOrEqual(A_DAY_MS);
    expect(oldest?.updated_at).toBe(oldest?.created_at);
  });

  it('a foreign operation belongs to its endpoint and branch', async () => {
    const { emulator, project, branch, createActive } = await startService();
    const id = await createActive();
    const add = (details: Partial<ForeignOperation>) =>
      emulator.addOperation(project.id, { action: 'suspend_compute', status: 'running', ...details })
        .operation;
    expect(add({ endpointId: id })).toMatchObject({ endpoint_id: id, branch_id: branch.id });
    expect(add({ branchId: branch.id })).toMatchObject({ branch_id: branch.id });
    expect(add({})).not.toHaveProperty('endpoint_id');
    emulator.deleteEndpoint(id);
    expect(add({ endpointId: id })).toMatchObject({ endpoint_id: id });
  });

  it.each([
    ['finish', 'finished', 0, undefined],
    ['fail', 'failed', 1, 'no room'],
  ] as const)("%s() ends another client's operation", async (end, status, failures_count, error) => {
    const { emulator, project } = await startService();
    const added = emulator.addOperation(project.id, { action: 'apply_config', status: 'running' });
    added[end](error as string);
    expect(emulator.operations(project.id)[0]).toMatchObject({
      ...added.operation,
      status,
      failures_count,
      ...(error && { error }),
      updated_at: expect.any(String),
      total_duration_ms: expect.any(Number),
    });
  });

  it("another client's operation with locks: true locks until it has ended", async () => {
    const { emulator, project, create } = await startService();
    const added = emulator.addOperation(project.id, { action: 'apply_config', status: 'odd', locks: true });
    const locked = await create();
    expect([locked.status, locked.body?.message]).toEqual([
      423,
      expect.stringContaining(`${added.operation.id} is odd`),
    ]);
    emulator.changeOperation(added.operation.id, { status: 'cancelling' });
    expect((await create()).status).toBe(423);
    added.fail();
    expect((await create()).status).toBe(201);
  });

  it('a foreign operation ends with its endpoint only if it locks', async () => {
    const { emulator, project, createActive } = await startService();
    const endpointId = await createActive();
    const operation = { action: 'apply_config', status: 'running', endpointId };
    const added = emulator.addOperation(project.id, operation);
    const locking = emulator.addOperation(project.id, { ...operation, locks: true });
    emulator.deleteEndpoint(endpointId);
    const statuses = () => emulator.operations(project.id).map(({ status }) => status);
    expect(statuses().slice(0, 2)).toEqual(['cancelled', 'running']);
    added.finish();
    locking.finish();
    expect(statuses().slice(0, 2)).toEqual(['finished', 'finished']);
  });

  it("another client's operation survives a restart, with its lock", async () => {
    const data = newDataFile();
    const emulator = await start({ data });
    const project = emulator.createProject();
    for (const locks of [false, true]) {
      emulator.addOperation(project.id, { action: 'apply_config', status: 'odd', ageMs: AN_HOUR_MS, locks });
    }
    const before = emulator.operations(project.id);
    const after = await restart(emulator, { data });
    expect(after.operations(project.id)).toEqual(before);
    const locked = await sendRequest(after, 'DELETE', `/projects/${project.id}`);
    expect(locked.status).toBe(423);
  });

  it.each<[object, RegExp]>([
    [{ action: 'x' }, /operation.status is required/],
    [{ action: 'x', status: '' }, /operation.status must be a string of 1 to 64/],
    [{ action: 'x', status: 'y', ageMs: -1 }, /operation.ageMs must be/],
    [{ action: 'x', status: 'y', endpointId: 'ep-none' }, /endpoint ep-none does not exist/],
    [{ action: 'x', status: 'y', branchId: 'br-none' }, /branch br-none does not exist/],
    [{ action: 'x', status: 'y', age: 1 }, /operation.age is not an attribute/],
  ])('addOperation rejects %j', async (operation, message) => {
    const { emulator, project } = await startService();
    expect(() => emulator.addOperation(project.id, operation as ForeignOperation)).toThrow(message);
  });

  it('changeOperation rejects an operation that the emulator runs', async () => {
    const { emulator, project } = await startService();
    const [own] = emulator.operations(project.id);
    expect(() => emulator.changeOperation(own?.id ?? '', { status: 'running' })).toThrow(/use a fault/);
  });
});

describe("another client's endpoint", () => {
  it('a foreign endpoint is active at once, without an operation', async () => {
    const { emulator, project, branch, call, endpoints } = await startService({ operationMs: 60_000 });
    const before = emulator.operations(project.id);
    const endpoint = emulator.createEndpoint(
      project.id,
      { branch_id: branch.id, type: 'read_write', name: 'über' },
      { ageMs: A_DAY_MS },
    );
    expect(endpoint).toMatchObject({ name: 'über', current_state: 'active', branch_id: branch.id });
    expect(endpoint).not.toHaveProperty('pending_state');
    expect(Date.now() - Date.parse(endpoint.created_at)).toBeGreaterThanOrEqual(A_DAY_MS);
    expect((await call('GET', `${endpoints}/${endpoint.id}`)).body?.endpoint).toEqual(endpoint);
    expect(emulator.operations(project.id)).toEqual(before);
  });

  it("another client's endpoint is suspended after its delay", async () => {
    const { emulator, project, branch, held } = await startService({ autosuspendSecondMs: 1 });
    const attributes = { branch_id: branch.id, type: 'read_write', suspend_timeout_seconds: 1 } as const;
    const { id } = emulator.createEndpoint(project.id, attributes, { ageMs: A_DAY_MS });
    await expect.poll(() => held(id)?.current_state).toBe('idle');
  });

  it.each<[object, RegExp]>([
    [{ branch_id: 'br-none' }, /branch br-none does not exist/],
    [{ color: 'red' }, /endpoint.color is not an attribute/],
    [{ autoscaling_limit_min_cu: 1 }, /must be given together/],
  ])('createEndpoint rejects %j', async (attributes, message) => {
    const { emulator, project, branch } = await startService();
    const requested = { branch_id: branch.id, type: 'read_write', ...attributes } as NewEndpointAttributes;
    expect(() => emulator.createEndpoint(project.id, requested)).toThrow(message);
    expect(emulator.endpoints(project.id)).toHaveLength(1);
  });

  it('createEndpoint rejects an invalid age', async () => {
    const { emulator, project, branch } = await startService();
    const attributes = { branch_id: branch.id, type: 'read_write' } as const;
    expect(() => emulator.createEndpoint(project.id, attributes, { ageMs: -1 })).toThrow(/ageMs must be/);
  });
});
