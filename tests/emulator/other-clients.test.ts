import type { ForeignOperation, NewEndpointAttributes } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { startService } from '../support/service-client';

const A_DAY_MS = 24 * 3_600_000;

describe("another client's operation", () => {
  it.each(['finished', 'failed', 'cancelled'])(
    "another client's operation that is %s locks nothing",
    async (status) => {
      const { emulator, project, create, call } = await startService();
      const { operation } = emulator.addOperation(project.id, { action: 'tenant_reattach', status });
      expect((await create()).status).toBe(201);
      const path = `/projects/${project.id}/operations/${operation.id}`;
      expect((await call('GET', path)).body?.operation).toEqual(operation);
      expect(operation).toMatchObject({ action: 'tenant_reattach', status });
    },
  );

  it('a foreign operation locks, with its status and error, until it ends', async () => {
    const { emulator, project, create } = await startService();
    const requested = { action: 'apply_config', status: 'odd', error: 'no room' };
    const { operation, finish } = emulator.addOperation(project.id, requested);
    expect(emulator.operations(project.id)[0]).toMatchObject(requested);
    const locked = await create();
    expect([locked.status, locked.body?.message]).toEqual([
      423,
      expect.stringContaining(`${operation.id} is odd`),
    ]);
    finish();
    expect((await create()).status).toBe(201);
    expect(emulator.operations(project.id)).toContainEqual(
      expect.objectContaining({ id: operation.id, status: 'finished' }),
    );
  });

  it('a foreign operation belongs to its endpoint, and ends with it', async () => {
    const { emulator, project, branch, createActive } = await startService();
    const endpointId = await createActive();
    const { operation, finish } = emulator.addOperation(project.id, {
      action: 'suspend_compute',
      status: 'running',
      endpointId,
    });
    expect(operation).toMatchObject({ endpoint_id: endpointId, branch_id: branch.id });
    emulator.deleteEndpoint(endpointId);
    finish();
    expect(emulator.operations(project.id)[0]).toMatchObject({ id: operation.id, status: 'cancelled' });
  });

  it.each<[object, RegExp]>([
    [{ action: 'x' }, /operation.status is required/],
    [{ action: 'x', status: '' }, /operation.status must be a string of 1 to 64/],
    [{ action: 'x', status: 'y', endpointId: 'ep-none' }, /endpoint ep-none does not exist/],
    [{ action: 'x', status: 'y', age: 1 }, /operation.age is not an attribute/],
  ])('addOperation rejects %j', async (operation, message) => {
    const { emulator, project } = await startService();
    expect(() => emulator.addOperation(project.id, operation as ForeignOperation)).toThrow(message);
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
