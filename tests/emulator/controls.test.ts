import { describe, expect, it } from 'vitest';
import { startService } from '../support/service-client';

describe('the controls of the library', () => {
  it('createProject creates a project with branch, endpoint and no work', async () => {
    const { emulator } = await startService({ operationMs: 60_000 });
    const project = emulator.createProject({ name: 'ready' });
    expect(emulator.endpoints(project.id)).toMatchObject([{ type: 'read_write', current_state: 'active' }]);
    expect(emulator.operations(project.id).map(({ status }) => status)).toEqual(['finished', 'finished']);
  });

  it('createBranch creates a branch without an endpoint', async () => {
    const { emulator, project } = await startService({ operationMs: 60_000 });
    const branch = emulator.createBranch(project.id, { name: 'ready' });
    expect(branch).toMatchObject({ name: 'ready', current_state: 'ready' });
    expect(emulator.endpoints(project.id).map(({ branch_id }) => branch_id)).not.toContain(branch.id);
  });

  it('lockProject locks a project until it is released', async () => {
    const { emulator, project, create } = await startService();
    const release = emulator.lockProject(project.id);
    const locked = await create();
    expect([locked.status, locked.body?.message]).toEqual([423, expect.stringContaining('create_branch')]);
    release();
    expect((await create()).status).toBe(201);
  });

  it('requests() returns the bodies of writes and the statuses', async () => {
    const { emulator, endpoints, create } = await startService();
    await create({ name: 'logged' });
    expect(emulator.requests()).toMatchObject([
      { method: 'POST', path: endpoints, status: 201, body: { endpoint: { name: 'logged' } } },
    ]);
  });

  it('the controls return copies', async () => {
    const { emulator, project, createActive, held } = await startService();
    const id = await createActive();
    for (const endpoint of emulator.endpoints(project.id)) endpoint.name = 'changed';
    expect(held(id)).not.toHaveProperty('name');
  });

  it('deleteEndpoint makes an endpoint 404 for clients', async () => {
    const { emulator, call, endpoints, createActive } = await startService();
    const id = await createActive();
    emulator.deleteEndpoint(id);
    expect((await call('GET', `${endpoints}/${id}`)).status).toBe(404);
    expect((await call('DELETE', `${endpoints}/${id}`)).status).toBe(204);
  });

  it.each([
    ['an attribute that is none', { size: 4 }, /endpoint.size is not an attribute/],
    ['a value of the wrong type', { pooler_enabled: 'yes' }, /pooler_enabled must be true or false/],
  ])('changeEndpoint rejects a change of %s', async (_case, attributes, message) => {
    const { emulator, createActive } = await startService();
    const id = await createActive();
    expect(() => emulator.changeEndpoint(id, attributes as object)).toThrow(message);
  });
});

describe('connection drops', () => {
  it.each<[string, object]>([
    ['a change of size', { autoscaling_limit_max_cu: 1 }],
    ['a move', {}],
    ['disabling', { disabled: true }],
  ])('connections drop once with %s', async (_case, attributes) => {
    const { emulator, project, call, endpoints, createActive, settled } = await startService();
    const id = await createActive();
    const target = emulator.createBranch(project.id);
    const endpoint = Object.keys(attributes).length > 0 ? attributes : { branch_id: target.id };
    await call('PATCH', `${endpoints}/${id}`, { endpoint });
    await settled();
    expect(emulator.connectionDrops(id)).toBe(1);
  });

  it.each(['DELETE', 'POST suspend', 'POST restart'])('connections drop once with %s', async (write) => {
    const { emulator, call, endpoints, createActive, settled } = await startService();
    const id = await createActive();
    const [method = '', command] = write.split(' ');
    await call(method, command === undefined ? `${endpoints}/${id}` : `${endpoints}/${id}/${command}`);
    await settled();
    expect(emulator.connectionDrops(id)).toBe(1);
  });

  it('connections do not drop with a change that needs no restart', async () => {
    const { emulator, call, endpoints, createActive, settled } = await startService();
    const id = await createActive();
    const settings = { pg_settings: { work_mem: '8MB' } };
    await call('PATCH', `${endpoints}/${id}`, { endpoint: { suspend_timeout_seconds: 60, settings } });
    await settled();
    expect(emulator.connectionDrops(id)).toBe(0);
  });

  it('autosuspend does not count as a connection drop', async () => {
    const { emulator, createActive, held } = await startService({ autosuspendSecondMs: 5 });
    const id = await createActive({ suspend_timeout_seconds: 1 });
    await expect.poll(() => held(id)?.current_state).toBe('idle');
    expect(emulator.connectionDrops(id)).toBe(0);
  });
});
