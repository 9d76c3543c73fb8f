import { beforeAll, describe, expect, it } from 'vitest';
import { type CreatedBranch, createTable } from '../support/branch-with-table';
import { hasPostgres, PostgresEmulator } from '../support/postgres-emulator';

describe.skipIf(!hasPostgres)('branches with data', () => {
  let service: PostgresEmulator;
  beforeAll(async () => {
    service = await PostgresEmulator.start();
    return () => service.emulator.stop();
  });

  it('a reset drops the connections, and brings the data of the parent', async () => {
    const { branches, branch, projectId, branchId } = await createTable(service);
    const before = await service.connect(branch.login);
    await before.query("INSERT INTO notes (text) VALUES ('branch')");
    const restore = { source_branch_id: branchId };
    await service.call('POST', `${branches}/${branch.branchId}/restore`, restore);
    await service.endOperations(projectId);
    expect(before.cutOffBy).toContain('terminating connection');
    const after = await service.connect(branch.login);
    expect(await after.ask("SELECT string_agg(text, ',') FROM notes")).toBe('main');
  });

  it('a reset can keep the previous data as a branch that works', async () => {
    const { branches, branch, projectId, branchId } = await createTable(service);
    const before = await service.connect(branch.login);
    await before.query("INSERT INTO notes (text) VALUES ('branch')");
    const restore = { source_branch_id: branchId, preserve_under_name: 'kept' };
    const { body } = await service.call<CreatedBranch>(
      'POST',
      `${branches}/${branch.branchId}/restore`,
      restore,
    );
    await service.endOperations(projectId);
    const endpoint = { branch_id: body.branch.parent_id, type: 'read_write' };
    const path = `/projects/${projectId}/endpoints`;
    const created = await service.call<{ endpoint: { host: string } }>('POST', path, { endpoint });
    await service.endOperations(projectId);
    const kept = await service.connect({ ...branch.login, host: created.body.endpoint.host });
    expect(await kept.ask("SELECT string_agg(text, ',') FROM notes")).toBe('main,branch');
    const database = { database: { name: 'books' } };
    await service.call('PATCH', `${branches}/${body.branch.parent_id}/databases/app`, database);
    await service.endOperations(projectId);
    const renamed = { ...branch.login, host: created.body.endpoint.host, database: 'books' };
    expect(await (await service.connect(renamed)).ask('SELECT count(*)::int FROM notes')).toBe(2);
  });

  it('a restore from a branch whose copy has failed leaves the data', async () => {
    const { branches, branch, client, projectId, copySchema } = await createTable(service);
    await client.query('BEGIN; LOCK TABLE notes');
    const { id } = await copySchema();
    await service.endOperations(projectId);
    await service.call('POST', `${branches}/${branch.branchId}/restore`, { source_branch_id: id });
    await service.endOperations(projectId);
    const after = await service.connect(branch.login);
    expect(await after.ask('SELECT text FROM notes')).toBe('main');
  });

  it('a restore of a branch whose copy has failed has no data to preserve', async () => {
    const { branches, client, projectId, branchId, copySchema } = await createTable(service);
    await client.query('BEGIN; LOCK TABLE notes');
    const { id } = await copySchema();
    await service.endOperations(projectId);
    const restore = { source_branch_id: branchId, preserve_under_name: 'kept' };
    await service.call('POST', `${branches}/${id}/restore`, restore);
    const [failed] = (await service.endOperations(projectId)).filter(({ status }) => status === 'failed');
    expect(failed?.error).toContain('was not completed');
  });

  it('a replica that a client wakes during a restore gets the new data', async () => {
    const { branches, branch, projectId, branchId } = await createTable(service);
    await (await service.connect(branch.login)).query("INSERT INTO notes (text) VALUES ('branch')");
    const endpoints = `/projects/${projectId}/endpoints`;
    const endpoint = { branch_id: branch.branchId, type: 'read_only' };
    const created = await service.call<{ endpoint: { id: string; host: string } }>('POST', endpoints, {
      endpoint,
    });
    const { id, host } = created.body.endpoint;
    await service.endOperations(projectId);
    await service.call('POST', `${endpoints}/${id}/suspend`);
    await service.endOperations(projectId);
    const hanging = service.emulator.inject({
      match: { action: 'suspend_compute' },
      effect: { kind: 'operation-hangs' },
    });
    const restore = { source_branch_id: branchId };
    await service.call('POST', `${branches}/${branch.branchId}/restore`, restore);
    const read = async () =>
      (await service.connect({ ...branch.login, host })).ask("SELECT string_agg(text, ',') FROM notes");
    expect(await read()).toBe('main,branch');
    hanging.clear();
    await service.endOperations(projectId);
    await expect.poll(() => read().catch(() => undefined)).toBe('main');
  });

  it('a restore that fails leaves the data, the roles and the databases', async () => {
    const { branches, branch, projectId, branchId } = await createTable(service);
    const before = await service.connect(branch.login);
    await before.query("INSERT INTO notes (text) VALUES ('branch')");
    service.emulator.inject({ match: { action: 'create_branch' }, effect: { kind: 'operation-fails' } });
    const restore = { source_branch_id: branchId, preserve_under_name: 'kept' };
    await service.call('POST', `${branches}/${branch.branchId}/restore`, restore);
    await service.endOperations(projectId);
    await service.call('POST', `${branches}/${branch.branchId}/roles`, { role: { name: 'other' } });
    await service.endOperations(projectId);
    const after = await service.connect(branch.login);
    expect(await after.ask("SELECT string_agg(text, ',') FROM notes")).toBe('main,branch');
  });

  it('a client sees the previous data until the restore is complete', async () => {
    const { branches, branch, projectId, branchId } = await createTable(service);
    const before = await service.connect(branch.login);
    await before.query("INSERT INTO notes (text) VALUES ('branch')");
    // Then the endpoint is active without a server.
    await service.call('POST', `/projects/${projectId}/endpoints/${branch.endpointId}/restart`);
    await service.endOperations(projectId);
    const hanging = service.emulator.inject({
      match: { action: 'suspend_compute' },
      effect: { kind: 'operation-hangs' },
    });
    const restore = { source_branch_id: branchId, preserve_under_name: 'kept' };
    const { body } = await service.call<CreatedBranch>(
      'POST',
      `${branches}/${branch.branchId}/restore`,
      restore,
    );
    const schema = await service.call('GET', `${branches}/${body.branch.parent_id}/schema?db_name=app`);
    expect(schema.status).toBe(500);
    const during = await service.connect(branch.login);
    expect(await during.ask("SELECT string_agg(text, ',') FROM notes")).toBe('main,branch');
    hanging.clear();
    await service.endOperations(projectId);
    const endpoint = { branch_id: body.branch.parent_id, type: 'read_write' };
    const path = `/projects/${projectId}/endpoints`;
    const created = await service.call<{ endpoint: { host: string } }>('POST', path, { endpoint });
    const kept = await service.connect({ ...branch.login, host: created.body.endpoint.host });
    expect(await kept.ask("SELECT string_agg(text, ',') FROM notes")).toBe('main,branch');
    const after = await service.connect(branch.login);
    expect(await after.ask("SELECT string_agg(text, ',') FROM notes")).toBe('main');
  });

  it('a restore to an earlier time is 501: there is no history of the data', async () => {
    const { branches, branch, branchId } = await createTable(service);
    const restore = { source_branch_id: branchId, source_timestamp: '2026-01-31T08:00:00Z' };
    const path = `${branches}/${branch.branchId}/restore`;
    const { status, body } = await service.call<{ message: string }>('POST', path, restore);
    expect([status, body.message]).toEqual([501, expect.stringContaining('source_timestamp')]);
  });
});
