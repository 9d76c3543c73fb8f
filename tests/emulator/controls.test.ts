import { describe, expect, it } from 'vitest';
import { startService } from '../support/service-client';

describe('the controls of the library', () => {
  it('createProject creates a project with branch, endpoint and no work', async () => {
    const { emulator } = await startService({ operationMs: 60_000 });
    const project = emulator.createProject({ name: 'ready' });
    expect(emulator.endpoints(project.id)).toMatchObject([{ type: 'read_write', current_state: 'active' }]);
    expect(emulator.operations(project.id).map(({ status }) => status)).toEqual(['finished', 'finished']);
  });

  it('createProject rejects what the API does', async () => {
    const { emulator } = await startService();
    expect(() => emulator.createProject({ name: '' })).toThrow(/project.name must be/);
    expect(emulator.projects()).toHaveLength(1);
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

  it.each([
    ['an attribute that is none', { size: 4 }, /endpoint.size is not an attribute/],
    ['a value of the wrong type', { pooler_enabled: 'yes' }, /pooler_enabled must be true or false/],
    ['a branch that does not exist', { branch_id: 'br-none' }, /br-none/],
  ])('changeEndpoint rejects a change of %s', async (_case, attributes, message) => {
    const { emulator, createActive } = await startService();
    const id = await createActive();
    expect(() => emulator.changeEndpoint(id, attributes as object)).toThrow(message);
  });
});
