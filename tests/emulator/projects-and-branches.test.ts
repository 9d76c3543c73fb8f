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

  it('a delete of a project responds with it and starts delete_tenant', async () => {
    const { emulator, call, project } = await startService({ operationMs: 60_000 });
    const { status, body } = await call('DELETE', `/projects/${project.id}`);
    expect([status, body]).toEqual([200, { project }]);
    expect(emulator.operations(project.id)[0]).toMatchObject({ action: 'delete_tenant', status: 'running' });
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

describe('a change of a project', () => {
  it.each<[object, string[]]>([
    [{ name: 'renamed' }, []],
    [{ history_retention_seconds: 3600 }, ['apply_storage_config']],
    [{ history_retention_seconds: 86_400 }, []],
    [{ default_endpoint_settings: { suspend_timeout_seconds: 60 } }, []],
  ])('PATCH with %j changes the project and starts %j', async (change, actions) => {
    const { call, project } = await startService();
    const response = await call('PATCH', `/projects/${project.id}`, { project: change });
    expect([response.status, actionsOf(response)]).toEqual([200, actions]);
    expect((await call('GET', `/projects/${project.id}`)).body?.project).toMatchObject(change);
  });

  it('a new endpoint has the changed defaults of the project', async () => {
    const { call, project, createActive, held } = await startService();
    const bounds = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2 };
    await call('PATCH', `/projects/${project.id}`, { project: { default_endpoint_settings: bounds } });
    expect(held(await createActive())).toMatchObject(bounds);
  });
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

  it('a locked project answers a taken branch name with 423', async () => {
    const { emulator, call, project, branch } = await startService();
    emulator.lockProject(project.id);
    const path = `/projects/${project.id}/branches`;
    expect((await call('POST', path, { branch: { name: branch.name } })).status).toBe(423);
  });

  it('the name of a deleted branch is free', async () => {
    const { call, project, branch } = await startService();
    const path = `/projects/${project.id}/branches`;
    expect((await call('DELETE', `${path}/${branch.id}`)).status).toBe(200);
    expect((await call('POST', path, { branch: { name: branch.name } })).status).toBe(201);
  });

  it('deleting a branch deletes its endpoints', async () => {
    const { call, project, branch, createActive, settled, held } = await startService();
    const id = await createActive();
    expect((await call('DELETE', `/projects/${project.id}/branches/${branch.id}`)).status).toBe(200);
    await settled();
    expect(held(id)).toBeUndefined();
    expect((await call('DELETE', `/projects/${project.id}/branches/${branch.id}`)).status).toBe(204);
  });

  it('a branch stays until the last of its endpoints is deleted', async () => {
    const { emulator, call, project, branch, createActive, settled, held } = await startService();
    const [first, last] = [await createActive(), await createActive({ type: 'read_only' })];
    emulator.inject({ match: { endpointId: last }, effect: { kind: 'operation-fails' } });
    const path = `/projects/${project.id}/branches/${branch.id}`;
    const statuses: number[] = [];
    for (let time = 0; time < 2; time += 1) {
      await call('DELETE', path);
      await settled();
      expect([held(first)?.id, held(last)?.id]).toEqual([undefined, time === 0 ? last : undefined]);
      statuses.push((await call('GET', path)).status);
    }
    expect(statuses).toEqual([200, 404]);
  });

  it('a delete under way locks the branch, even without locks', async () => {
    const { emulator, call, project, branch, createActive, settled } = await startService({
      locks: 'none',
    });
    const path = `/projects/${project.id}`;
    const other = emulator.createBranch(project.id);
    const remove = () => call('DELETE', `${path}/branches/${branch.id}`);
    const hold = () =>
      emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-hangs' } });
    const first = hold();
    expect((await call('DELETE', `${path}/endpoints/${await createActive()}`)).status).toBe(200);
    expect((await remove()).status).toBe(423);
    first.clear();
    await settled();
    await createActive();
    const last = hold();
    expect((await remove()).status).toBe(200);
    const statuses = [
      call('POST', `${path}/endpoints`, { endpoint: { branch_id: branch.id, type: 'read_only' } }),
      call('POST', `${path}/branches`, { branch: { parent_id: branch.id } }),
      call('POST', `${path}/branches/${branch.id}/set_as_default`),
      call('POST', `${path}/branches/${other.id}/restore`, { source_branch_id: branch.id }),
    ].map(async (answer) => (await answer).status);
    expect(await Promise.all(statuses)).toEqual([423, 423, 423, 423]);
    last.clear();
    await settled();
    expect((await call('GET', `${path}/branches/${branch.id}`)).status).toBe(404);
  });

  it('a delete of a project locks its branches, even without locks', async () => {
    const { emulator, call, project, branch } = await startService({ locks: 'none' });
    emulator.inject({ match: { action: 'delete_tenant' }, effect: { kind: 'operation-hangs' } });
    const path = `/projects/${project.id}`;
    const branchPath = `${path}/branches/${branch.id}`;
    expect((await call('DELETE', path)).status).toBe(200);
    const statuses = [
      call('POST', `${path}/endpoints`, { endpoint: { branch_id: branch.id, type: 'read_only' } }),
      call('POST', `${path}/branches`, {}),
      call('POST', `${branchPath}/roles`, { role: { name: 'late' } }),
      call('PATCH', branchPath, { branch: { protected: true } }),
      call('DELETE', branchPath),
    ].map(async (answer) => (await answer).status);
    expect(await Promise.all(statuses)).toEqual([423, 423, 423, 423, 423]);
  });

  it('a new branch shows the point of its parent from which it was created', async () => {
    const { call, project, branch } = await startService();
    const parent = { parent_id: branch.id, parent_lsn: '0/1E19478' };
    const { body } = await call('POST', `/projects/${project.id}/branches`, {
      branch: { ...parent, parent_timestamp: '2026-01-31T08:00:00+01:00', protected: true },
    });
    expect(body?.branch).toMatchObject({
      ...parent,
      parent_timestamp: '2026-01-31T07:00:00.000Z',
      protected: true,
    });
  });

  it('another branch becomes the default, and the parent of new ones', async () => {
    const { emulator, call, project, branch } = await startService();
    const branches = `/projects/${project.id}/branches`;
    const formerId = emulator.endpoints(project.id)[0]?.branch_id;
    const { body } = await call('POST', `${branches}/${branch.id}/set_as_default`);
    expect(body?.branch).toMatchObject({ id: branch.id, default: true, primary: true });
    const former = await call('GET', `${branches}/${formerId}`);
    expect(former.body?.branch).toMatchObject({ default: false, primary: false });
    const created = await call('POST', branches);
    expect(created.body?.branch).toMatchObject({ parent_id: branch.id, default: false });
  });
});
