import { describe, expect, it } from 'vitest';
import { actionsOf, startService } from '../support/service-client';

const slow = { operationMs: 60_000 };

describe('creating an endpoint', () => {
  it('a create responds 201 with init, pending active, start_compute', async () => {
    const { create } = await startService(slow);
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body?.endpoint).toMatchObject({
      current_state: 'init',
      pending_state: 'active',
      type: 'read_write',
    });
    expect(body?.operations).toMatchObject([{ action: 'start_compute', status: 'running' }]);
    expect(body?.endpoint).not.toHaveProperty('last_active');
  });

  it('a created endpoint becomes active, with no pending state', async () => {
    const { createActive, held } = await startService();
    const endpoint = held(await createActive());
    expect(endpoint).toMatchObject({ current_state: 'active', last_active: expect.any(String) });
    expect(endpoint).not.toHaveProperty('pending_state');
  });
});

describe('updating an endpoint', () => {
  const RESIZE = 'apply_config suspend_compute start_compute';

  // In order: the operations, restarts and drops of connections, and the state in the end.
  it.each<[state: 'active' | 'idle', object, string, number, number, string]>([
    ['active', { autoscaling_limit_max_cu: 2 }, RESIZE, 1, 1, 'active'],
    ['active', { autoscaling_limit_min_cu: 0.5 }, RESIZE, 1, 1, 'active'],
    ['idle', { autoscaling_limit_max_cu: 2 }, 'apply_config', 0, 0, 'idle'],
    ['active', { branch_id: 'TARGET' }, 'apply_config suspend_compute', 0, 1, 'idle'],
    ['active', { disabled: true }, 'suspend_compute', 0, 1, 'idle'],
    ['active', { suspend_timeout_seconds: 600 }, 'apply_config', 0, 0, 'active'],
    ['active', { pooler_enabled: true }, 'apply_config', 0, 0, 'active'],
    ['active', { passwordless_access: false }, 'apply_config', 0, 0, 'active'],
    ['active', { settings: { pg_settings: { work_mem: '8MB' } } }, 'apply_config', 0, 0, 'active'],
    ['active', { name: 'renamed' }, '', 0, 0, 'active'],
    ['active', { name: 'same' }, '', 0, 0, 'active'],
  ])('the compute is %s: PATCH %j starts "%s"', async (state, change, actions, restarts, drops, end) => {
    const { emulator, project, call, endpoints, createActive, settled, held } = await startService();
    const sizes = { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 1 };
    const id = await createActive({ ...sizes, name: 'same' });
    if (state === 'idle') await call('POST', `${endpoints}/${id}/suspend`);
    await settled();
    const before = emulator.connectionDrops(id);
    const target = emulator.createBranch(project.id);
    const endpoint = 'branch_id' in change ? { branch_id: target.id } : change;
    const response = await call('PATCH', `${endpoints}/${id}`, { endpoint });
    expect([response.status, actionsOf(response).join(' ')]).toEqual([200, actions]);
    await settled();
    expect(held(id)).toMatchObject({ ...endpoint, current_state: end });
    expect([emulator.restarts(id), emulator.connectionDrops(id) - before]).toEqual([restarts, drops]);
  });

  it('a move to a branch that has an endpoint is a conflict', async () => {
    const { emulator, project, call, endpoints, createActive } = await startService();
    const id = await createActive();
    const [primary] = emulator.endpoints(project.id).filter((endpoint) => endpoint.id !== id);
    const { status } = await call('PATCH', `${endpoints}/${id}`, {
      endpoint: { branch_id: primary?.branch_id },
    });
    expect(status).toBe(409);
  });

  it('an update of pg_settings replaces the whole map', async () => {
    const { call, endpoints, createActive, held } = await startService();
    const id = await createActive({ settings: { pg_settings: { work_mem: '8MB' } } });
    await call('PATCH', `${endpoints}/${id}`, { endpoint: { settings: { pg_settings: {} } } });
    expect(held(id)?.settings).toEqual({ pg_settings: {} });
  });
});

describe('starting and suspending a compute', () => {
  it.each([
    ['POST', '/restart', 1],
    ['POST', '/suspend', 0],
    ['DELETE', '', 0],
  ])('%s %s drops the connections once', async (method, command, restarts) => {
    const { emulator, call, endpoints, createActive, settled } = await startService();
    const id = await createActive();
    await call(method, `${endpoints}/${id}${command}`);
    await settled();
    expect([emulator.restarts(id), emulator.connectionDrops(id)]).toEqual([restarts, 1]);
  });

  it('a compute is suspended after the autosuspend delay', async () => {
    const { emulator, project, createActive, held } = await startService({ autosuspendSecondMs: 10 });
    const id = await createActive({ suspend_timeout_seconds: 1 });
    await expect.poll(() => held(id)?.current_state).toBe('idle');
    expect(emulator.operations(project.id)[0]).toMatchObject({ action: 'suspend_compute', endpoint_id: id });
    expect(emulator.connectionDrops(id)).toBe(0); // A client of the emulator's own controls has none.
  });

  it('a suspension that has failed is repeated after the delay', async () => {
    const { emulator, project, create } = await startService({ autosuspendSecondMs: 1 });
    const match = { action: 'suspend_compute' };
    emulator.inject({ match, effect: { kind: 'operation-fails' }, times: 'always' });
    const { body } = await create({ suspend_timeout_seconds: 200 });
    const isAttempt = ({ action, endpoint_id: id }: { action: string; endpoint_id?: string }) =>
      action === match.action && id === body?.endpoint.id;
    const times = () =>
      emulator
        .operations(project.id)
        .flatMap((each) => (isAttempt(each) ? [Date.parse(each.created_at)] : []));
    await expect.poll(() => times().length).toBeGreaterThan(1);
    const [second = 0, first = 0] = times().slice(-2);
    expect(second - first).toBeGreaterThan(190);
  });

  it('a compute with an autosuspend delay of -1 is never suspended', async () => {
    const { emulator, project, createActive, held } = await startService({ autosuspendSecondMs: 1 });
    const id = await createActive({ suspend_timeout_seconds: -1 });
    const primary = emulator.endpoints(project.id).find((endpoint) => endpoint.id !== id);
    await expect.poll(() => held(primary?.id ?? '')?.current_state).toBe('idle');
    expect(held(id)?.current_state).toBe('active');
  });

  it('a connection starts an idle compute', async () => {
    const { emulator, call, endpoints, createActive, settled, held } = await startService();
    const id = await createActive();
    await call('POST', `${endpoints}/${id}/suspend`);
    await settled();
    expect(emulator.connect(id)).toMatchObject([{ action: 'start_compute' }]);
    await settled();
    expect(held(id)?.current_state).toBe('active');
  });
});

describe('deleting an endpoint', () => {
  it('an endpoint that is being deleted refuses connections', async () => {
    const { emulator, call, endpoints, createActive } = await startService();
    const id = await createActive();
    emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-hangs' } });
    await call('DELETE', `${endpoints}/${id}`);
    expect(() => emulator.connect(id)).toThrow(`endpoint ${id} is being deleted`);
  });

  it('an endpoint can be changed after its delete has failed', async () => {
    const { emulator, call, endpoints, createActive, settled } = await startService();
    const id = await createActive();
    emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-fails' } });
    await call('DELETE', `${endpoints}/${id}`);
    await settled();
    const patched = await call('PATCH', `${endpoints}/${id}`, { endpoint: { name: 'kept' } });
    expect(patched.status).toBe(200);
  });
});
