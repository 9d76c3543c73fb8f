import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createTable } from '../support/branch-with-table';
import { hasPostgres, PostgresEmulator, usePostgres } from '../support/postgres-emulator';

const ALL_TEXTS = "SELECT string_agg(text, ',') FROM notes";

describe.skipIf(!hasPostgres)('branches with data', () => {
  const service = usePostgres();

  /** A branch with a row of its own beside that of its parent, and what restores it from that. */
  const createBranch = async () => {
    const table = await createTable(service());
    const { place, branch } = table;
    const client = await branch.connect();
    await client.query("INSERT INTO notes (text) VALUES ('branch')");
    const sendRestore = (more: object = {}) =>
      branch.send('POST', `branches/${branch.branchId}/restore`, {
        source_branch_id: place.branchId,
        ...more,
      });
    const restore = async (more?: object) => {
      const { body } = await sendRestore(more);
      await branch.endOperations();
      return body;
    };
    /** Restores it, but not before a call of the result. */
    const beginRestore = async (more?: object, action = 'suspend_compute') => {
      const hanging = service().emulator.inject({
        match: { action },
        effect: { kind: 'operation-hangs' },
      });
      const { body } = await sendRestore(more);
      const finish = async () => {
        hanging.clear();
        await branch.endOperations();
      };
      return { body, finish };
    };
    const readTexts = async (host = branch.host) => (await branch.connect({ host })).ask(ALL_TEXTS);
    const addEndpoint = (branch_id?: string) =>
      branch.addEndpoint('read_write', { ...(branch_id && { branch_id }) });
    return { ...table, client, restore, beginRestore, readTexts, addEndpoint };
  };

  it('a reset drops the connections, and brings the data of the parent', async () => {
    const { client, restore, readTexts } = await createBranch();
    await restore();
    expect(client.cutOffBy).toContain('terminating connection');
    expect(await readTexts()).toBe('main');
  });

  it('a start that a move overtakes starts no server on the new branch', async () => {
    const { place, client } = await createTable(service());
    const { branchId: branch_id } = await service().createBranch(place);
    const readSchema = () => place.send('GET', `branches/${place.branchId}/schema?db_name=app`);
    // Who reads the schema waits for the lock, and who starts a server on the branch waits for that.
    await client.query('BEGIN; LOCK TABLE notes');
    const schema = readSchema();
    await expect.poll(() => client.ask('SELECT count(*)::int FROM pg_locks WHERE NOT granted')).toBe(1);
    await place.command('suspend');
    const socket = new Socket();
    const waiting = place.connect({}, { stream: () => socket }).catch(() => 'left');
    const isActive = () => service().emulator.endpoints(place.projectId)[0]?.current_state === 'active';
    await expect.poll(isActive).toBe(true);
    await place.patch({ branch_id });
    service().emulator.connect(place.endpointId);
    socket.destroy();
    expect(await waiting).toBe('left');
    await client.query('ROLLBACK');
    await schema;
    await readSchema();
    await place.command('suspend');
    const suspendedMs = Date.now();
    const startedAt = await (await place.connect()).ask('SELECT pg_postmaster_start_time()');
    expect(Number(startedAt)).toBeGreaterThan(suspendedMs);
  });

  it('a reset can keep the previous data as a branch that works', async () => {
    const { restore, branch, readTexts, addEndpoint } = await createBranch();
    const body = await restore({ preserve_under_name: 'kept' });
    const { host } = await addEndpoint(body.branch.parent_id);
    expect(await readTexts(host)).toBe('main,branch');
    const database = { database: { name: 'books' } };
    await branch.change('PATCH', `branches/${body.branch.parent_id}/databases/app`, database);
    const renamed = await branch.connect({ host, database: 'books' });
    expect(await renamed.ask(ALL_TEXTS)).toBe('main,branch');
  });

  it('a restore from a branch whose copy has failed, or of it, fails', async () => {
    const { place, restore, branch, readTexts, copySchema } = await createBranch();
    const parent = await place.connect();
    await parent.query('CREATE FUNCTION f(int) RETURNS int IMMUTABLE LANGUAGE sql RETURN 1');
    await parent.query('CREATE INDEX ON notes (id) WHERE id > f(1)');
    await parent.query(
      "CREATE OR REPLACE FUNCTION f(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$",
    );
    const { id, error } = await copySchema();
    expect(error).toBe('no');
    await restore({ source_branch_id: id });
    expect(await readTexts()).toBe('main,branch');
    const { operations } = await branch.change('POST', `branches/${id}/restore`, {
      source_branch_id: place.branchId,
      preserve_under_name: 'kept',
    });
    expect(operations.find(({ status }) => status === 'failed')?.error).toContain('was not completed');
  });

  it('a replica that a client wakes during a held restore gets the new data', async () => {
    const { branch, beginRestore, readTexts } = await createBranch();
    const { id, host } = await branch.addEndpoint('read_only');
    await branch.change('POST', `endpoints/${id}/suspend`);
    const { finish } = await beginRestore({}, 'create_branch');
    expect(await readTexts(host)).toBe('main,branch');
    await finish();
    await expect.poll(() => readTexts(host).catch(() => undefined)).toBe('main');
  });

  it('a restore that fails leaves the data, the roles and the databases', async () => {
    const { branch, restore, readTexts } = await createBranch();
    service().emulator.inject({ match: { action: 'create_branch' }, effect: { kind: 'operation-fails' } });
    await restore({ preserve_under_name: 'kept' });
    await branch.onBranch('POST', 'roles', { role: { name: 'other' } });
    expect(await readTexts()).toBe('main,branch');
  });

  it('a client sees the previous data until the restore is complete', async () => {
    const { branch, beginRestore, readTexts, addEndpoint } = await createBranch();
    // Then the endpoint is active without a server.
    await branch.command('restart');
    const { body, finish } = await beginRestore({ preserve_under_name: 'kept' });
    const schema = await branch.send('GET', `branches/${body.branch.parent_id}/schema?db_name=app`);
    expect(schema.status).toBe(500);
    expect(await readTexts()).toBe('main,branch');
    await finish();
    const { host } = await addEndpoint(body.branch.parent_id);
    expect([await readTexts(host), await readTexts()]).toEqual(['main,branch', 'main']);
  });

  it('a restore to an earlier time is 501: there is no history of the data', async () => {
    const { place, branch } = await createTable(service());
    const restore = { source_branch_id: place.branchId, source_timestamp: '2026-01-31T08:00:00Z' };
    const { status, body } = await branch.send('POST', `branches/${branch.branchId}/restore`, restore);
    expect([status, body.message]).toEqual([501, expect.stringContaining('source_timestamp')]);
  });
});

it.skipIf(!hasPostgres)('a login during a restore does not keep later ones out', async () => {
  const service = await PostgresEmulator.open({ operationMs: { create_branch: 1_000, default: 10 } });
  const place = await service.createProject();
  const branch = await service.createBranch(place, 'read_write');
  await branch.endOperations();
  await branch.command('suspend');
  await branch.send('POST', `branches/${branch.branchId}/restore`, { source_branch_id: place.branchId });
  await branch.connect().catch(() => undefined);
  await branch.endOperations();
  expect(await (await branch.connect()).ask('SELECT 7')).toBe(7);
});

it.skipIf(!hasPostgres)('a login during a restore brings no password of a protected source', async () => {
  const service = await PostgresEmulator.open({ operationMs: { create_branch: 2_000, default: 10 } });
  const place = await service.createProject();
  await place.connect();
  await place.change('PATCH', `branches/${place.branchId}`, { branch: { protected: true } });
  const branch = await service.createBranch(place, 'read_write');
  await branch.connect();
  await branch.change('POST', `endpoints/${branch.endpointId}/suspend`);
  await branch.send('POST', `branches/${branch.branchId}/restore`, { source_branch_id: place.branchId });
  // It starts the server on the new data.
  await branch.connect().catch(() => undefined);
  await branch.endOperations();
  const isIn = (password = branch.login.password) =>
    branch.connect({ password }).then(
      () => true,
      () => false,
    );
  await expect.poll(() => isIn()).toBe(true);
  expect(await isIn(place.login.password)).toBe(false);
});
