import { describe, expect, it } from 'vitest';
import { actionsOf, startService } from '../support/service-client';

describe('projects', () => {
  it('a new project has a primary branch with one read_write endpoint', async () => {
    const { call } = await startService();
    const response = await call('POST', '/projects', { project: { name: 'fresh' } });
    expect([response.status, actionsOf(response)]).toEqual([201, ['create_timeline', 'start_compute']]);
    expect(response.body).toMatchObject({
      branch: { primary: true },
      endpoints: [{ type: 'read_write', branch_id: response.body?.branch.id }],
    });
  });

  it('the operations of one request run one after another', async () => {
    const { call } = await startService({ operationMs: 60_000 });
    const { body } = await call('POST', '/projects', { project: {} });
    expect(body?.operations.map(({ status }) => status)).toEqual(['running', 'scheduling']);
  });

  it('a deleted project no longer exists once delete_tenant has finished', async () => {
    const { call, project } = await startService();
    const response = await call('DELETE', `/projects/${project.id}`);
    expect([response.status, actionsOf(response)]).toEqual([200, ['delete_tenant']]);
    await expect.poll(async () => (await call('GET', `/projects/${project.id}`)).status).toBe(404);
  });

  it('the list of projects is paged by cursor', async () => {
    const { emulator, call } = await startService();
    emulator.createProject();
    const seen: string[] = [];
    for (let query = '?limit=1'; ; ) {
      const { body } = await call('GET', `/projects${query}`);
      const [project] = (body?.projects ?? []) as { id: string }[];
      if (project === undefined) break;
      seen.push(project.id);
      query = `?limit=1&cursor=${body?.pagination.cursor}`;
    }
    expect(seen).toEqual(emulator.projects().map(({ id }) => id));
  });
});

describe('the list of shared projects', () => {
  it('the list of shared projects is empty', async () => {
    const { call } = await startService();
    const { status, body } = await call('GET', '/projects/shared');
    expect([status, body]).toEqual([200, { projects: [] }]);
  });

  it.each(['limit=0', 'limit=401', 'timeout=99', 'cursor=none'])(
    'the list of shared projects rejects %s',
    async (query) => {
      const { call } = await startService();
      expect((await call('GET', `/projects/shared?${query}`)).status).toBe(400);
    },
  );
});

describe('branches', () => {
  it('a new branch has no endpoint unless the request contains endpoints', async () => {
    const { call, project } = await startService();
    const response = await call('POST', `/projects/${project.id}/branches`, { branch: { name: 'bare' } });
    expect([actionsOf(response), response.body?.endpoints]).toEqual([['create_branch'], []]);
  });

  it('a new branch has the requested endpoints', async () => {
    const { call, project } = await startService();
    const response = await call('POST', `/projects/${project.id}/branches`, {
      branch: { name: 'full' },
      endpoints: [{ type: 'read_write' }, { type: 'read_only' }],
    });
    expect(actionsOf(response)).toEqual(['create_branch', 'start_compute', 'start_compute']);
    expect(response.body?.endpoints.map(({ type }) => type)).toEqual(['read_write', 'read_only']);
  });

  it.each([
    ['two read_write endpoints', { endpoints: [{ type: 'read_write' }, { type: 'read_write' }] }, 400],
    ['an endpoint without a type', { endpoints: [{}] }, 400],
    ['an unknown parent', { branch: { parent_id: 'br-none' } }, 404],
  ])('rejects a new branch with %s', async (_case, body, expected) => {
    const { call, project } = await startService();
    expect((await call('POST', `/projects/${project.id}/branches`, body)).status).toBe(expected);
  });

  it('deleting a branch deletes its endpoints', async () => {
    const { call, project, branch, createActive, settled, held } = await startService();
    const id = await createActive();
    expect((await call('DELETE', `/projects/${project.id}/branches/${branch.id}`)).status).toBe(200);
    await settled();
    expect(held(id)).toBeUndefined();
    expect((await call('DELETE', `/projects/${project.id}/branches/${branch.id}`)).status).toBe(204);
  });

  it('the primary branch cannot be deleted', async () => {
    const { emulator, call, project } = await startService();
    const primaryId = emulator.endpoints(project.id)[0]?.branch_id;
    expect((await call('DELETE', `/projects/${project.id}/branches/${primaryId}`)).status).toBe(422);
  });

  it('a branch with a child branch cannot be deleted', async () => {
    const { emulator, call, project, branch } = await startService();
    emulator.createBranch(project.id, { parentId: branch.id });
    expect((await call('DELETE', `/projects/${project.id}/branches/${branch.id}`)).status).toBe(422);
  });
});
