import { beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, PostgresEmulator } from '../support/postgres-emulator';

interface Created {
  branch: { id: string; parent_id?: string };
  connection_uris: { connection_parameters: Login }[];
  message: string;
}
type Login = Parameters<PostgresEmulator['connect']>[0];

describe.skipIf(!hasPostgres)('branches with data', () => {
  let service: PostgresEmulator;
  beforeAll(async () => {
    service = await PostgresEmulator.start();
    return () => service.emulator.stop();
  });

  /** A project whose branch has a table with a row, owned by a role, and its client. */
  async function startWithTable() {
    const place = await service.createProject();
    const client = await service.connect(place.login);
    await client.query('CREATE TABLE notes (id serial PRIMARY KEY, text text)');
    await client.query("INSERT INTO notes (text) VALUES ('main')");
    const branches = `/projects/${place.projectId}/branches`;
    const branch = await service.createBranch(place.projectId, place.branchId, 'read_write');
    return { ...place, client, branches, branch };
  }

  const add = async (branches: string, branch: object) => {
    const endpoints = [{ type: 'read_write' }];
    const { status, body } = await service.call<Created>('POST', branches, { branch, endpoints });
    expect([status, body.message]).toEqual([201, undefined]);
    return { id: body.branch.id, login: body.connection_uris[0]?.connection_parameters as Login };
  };

  it('a schema-only branch has the tables, roles and grants, and no rows', async () => {
    const place = await startWithTable();
    const { branches, projectId, branchId } = place;
    await service.call('POST', `${branches}/${branchId}/roles`, { role: { name: 'reporting' } });
    await service.endOperations(projectId);
    const client = await service.connect(place.login);
    await client.query('GRANT SELECT ON notes TO reporting');
    await client.query('CREATE EXTENSION citext');
    await client.query('ALTER TABLE notes ADD word citext');
    await client.query("CREATE FUNCTION label(int) RETURNS text LANGUAGE sql AS $$SELECT 'no ' || $1$$");
    await client.query('CREATE VIEW labels AS SELECT label(id) FROM notes');
    const { login } = await add(branches, { parent_id: branchId, init_source: 'schema-only' });
    const [failed] = (await service.endOperations(projectId)).filter(({ status }) => status !== 'finished');
    expect(failed).toBeUndefined();
    const copy = await service.connect(login);
    expect(await copy.ask('SELECT count(*)::int FROM labels')).toBe(0);
    expect(await copy.ask("SELECT has_table_privilege('reporting', 'notes', 'SELECT')")).toBe(true);
    expect(await copy.ask("INSERT INTO notes (text) VALUES ('new') RETURNING id")).toBe(1);
    await copy.query('DROP EXTENSION citext CASCADE');
    expect(await copy.ask("SELECT count(*)::int FROM pg_roles WHERE rolname LIKE 'copy%'")).toBe(0);
    expect(await client.ask('SELECT count(*)::int FROM notes')).toBe(1);
  });

  it('no function of a client runs as the superuser when a schema is copied', async () => {
    const { client, branches, projectId, branchId } = await startWithTable();
    await client.query(
      `CREATE FUNCTION who(int) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$BEGIN
        IF current_setting('is_superuser') = 'on' THEN RAISE 'ran as the superuser'; END IF; RETURN 'x'; END$$`,
    );
    await client.query('CREATE INDEX ON notes ((who(1)))');
    await client.query("CREATE TABLE defaults (a text DEFAULT who(1), CHECK (who(2) = 'x'))");
    await client.query(
      `CREATE FUNCTION ends_authorization(text) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN
        RESET SESSION AUTHORIZATION; RESET ROLE; RETURN public.who(1) = 'x'; END$$`,
    );
    await client.query('CREATE DOMAIN checked AS text CHECK (public.ends_authorization(VALUE))');
    await client.query("CREATE FUNCTION step(checked, text) RETURNS checked LANGUAGE sql AS 'SELECT $1'");
    await client.query("CREATE AGGREGATE agg(text) (SFUNC = step, STYPE = checked, INITCOND = 'x')");
    await add(branches, { parent_id: branchId, init_source: 'schema-only' });
    const operations = await service.endOperations(projectId);
    expect(operations.filter(({ error }) => error !== undefined)).toEqual([]);
  });

  it('GET /schema shows the statements of a branch, without its data', async () => {
    const { branches, branchId } = await startWithTable();
    const path = `${branches}/${branchId}/schema?db_name=`;
    const { body } = await service.call<{ sql: string }>('GET', `${path}app`);
    expect(body).toEqual({ sql: expect.any(String) });
    expect(body.sql).toContain('CREATE TABLE public.notes');
    expect((await service.call('GET', `${path}none`)).status).toBe(404);
    expect((await service.call('GET', `${path}app&format=json`)).status).toBe(501);
  });

  it('GET /schema is UTF-8 with standard strings, whatever a role has set', async () => {
    const { client, branches, branchId } = await startWithTable();
    await client.query(
      `ALTER DATABASE app SET client_encoding = 'SJIS'; ALTER DATABASE app SET standard_conforming_strings = off`,
    );
    await client.query(`CREATE VIEW texts AS SELECT 'ソ\\' AS text`);
    const path = `${branches}/${branchId}/schema?db_name=app`;
    const { body } = await service.call<{ sql: string }>('GET', path);
    expect(body.sql).toContain(`SELECT 'ソ\\'::text`);
  });

  it('GET /schema fails for a schema that is too large', async () => {
    const { client, branches, branchId } = await startWithTable();
    await client.query(
      "DO $$ BEGIN EXECUTE format('COMMENT ON TABLE notes IS %L', repeat('x', 34000000)); END $$",
    );
    const path = `${branches}/${branchId}/schema?db_name=app`;
    const { body } = await service.call<{ message: string }>('GET', path);
    expect(body.message).toContain('the schema of database "app" is larger than');
  });

  it('a reset drops the connections, and brings the data of the parent', async () => {
    const { branches, branch, projectId, branchId } = await startWithTable();
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
    const { branches, branch, projectId, branchId } = await startWithTable();
    const before = await service.connect(branch.login);
    await before.query("INSERT INTO notes (text) VALUES ('branch')");
    const restore = { source_branch_id: branchId, preserve_under_name: 'kept' };
    const { body } = await service.call<Created>('POST', `${branches}/${branch.branchId}/restore`, restore);
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

  it("a client's lock fails a copy of the schema, and holds up nothing else", async () => {
    const { branches, client, projectId, branchId } = await startWithTable();
    await client.query('BEGIN; LOCK TABLE notes');
    await add(branches, { parent_id: branchId, init_source: 'schema-only' });
    const [failed] = (await service.endOperations(projectId)).filter(({ status }) => status === 'failed');
    expect(failed?.error).toContain('LOCK TABLE');
    const schema = await service.call<{ message: string }>(
      'GET',
      `${branches}/${branchId}/schema?db_name=app`,
    );
    expect(schema.body.message).toContain('LOCK TABLE');
  });

  it('a function that never returns holds up only the copy of its schema', async () => {
    const own = await PostgresEmulator.start();
    const { login, projectId, branchId } = await own.createProject();
    const client = await own.connect(login);
    const wait = (seconds: number) =>
      client.query(
        `CREATE OR REPLACE FUNCTION wait(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(${seconds}); RETURN 1; END $$`,
      );
    await wait(0);
    await client.query('CREATE TABLE notes (id int); CREATE INDEX ON notes (id) WHERE id > wait(1)');
    await wait(1000);
    const path = `/projects/${projectId}/branches`;
    const branch = { parent_id: branchId, init_source: 'schema-only' };
    await own.call('POST', path, { branch });
    const isUnderWay = () => own.emulator.operations(projectId).some(({ status }) => status === 'running');
    await expect.poll(isUnderWay).toBe(true);
    const { status } = await own.call('GET', `${path}/${branchId}/schema?db_name=app`);
    expect(status).toBe(200);
    // It waits for no copy of a schema.
    await own.emulator.stop();
  });

  it('GET /schema ends when the branch is deleted', async () => {
    const { branches, branch } = await startWithTable();
    const holder = await service.connect(branch.login);
    // Each pg_dump reads what this view shows.
    await holder.query('BEGIN; LOCK TABLE pg_available_extensions');
    const path = `${branches}/${branch.branchId}`;
    const schema = service.call<{ message: string }>('GET', `${path}/schema?db_name=app`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await service.call('DELETE', path)).status).toBe(200);
    expect((await schema).body.message).toContain('the branch was deleted');
  });

  it.each([
    ['an error of 10 MB is cut', "RAISE '%', repeat('x', 10000000)", /^x{2000}…$/],
    ['an error of 70 MB ends it', "RAISE '%', repeat('x', 70000000)", /^a message of the server/],
    [
      'warnings of 80 MB end it',
      "FOR i IN 1..8 LOOP RAISE WARNING '%', repeat('x', 10000000); END LOOP",
      /^a message of the server/,
    ],
  ])('a copy of a schema: %s', async (_outcome, statement, error) => {
    const { branches, client, projectId, branchId } = await startWithTable();
    const define = (body: string) =>
      client.query(
        `CREATE OR REPLACE FUNCTION raise(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN 1; END $$`,
      );
    await define('NULL');
    await client.query('CREATE INDEX ON notes (id) WHERE id > raise(1)');
    await define(statement);
    await add(branches, { parent_id: branchId, init_source: 'schema-only' });
    const [failed] = (await service.endOperations(projectId)).filter(({ status }) => status === 'failed');
    expect(failed?.error).toMatch(error);
  });

  it('a restore from a branch whose copy has failed leaves the data', async () => {
    const { branches, branch, client, projectId, branchId } = await startWithTable();
    await client.query('BEGIN; LOCK TABLE notes');
    const { id } = await add(branches, { parent_id: branchId, init_source: 'schema-only' });
    await service.endOperations(projectId);
    await service.call('POST', `${branches}/${branch.branchId}/restore`, { source_branch_id: id });
    await service.endOperations(projectId);
    const after = await service.connect(branch.login);
    expect(await after.ask('SELECT text FROM notes')).toBe('main');
  });

  it('a restore that fails leaves the data, the roles and the databases', async () => {
    const { branches, branch, projectId, branchId } = await startWithTable();
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
    const { branches, branch, projectId, branchId } = await startWithTable();
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
    const { body } = await service.call<Created>('POST', `${branches}/${branch.branchId}/restore`, restore);
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
    const { branches, branch, branchId } = await startWithTable();
    const restore = { source_branch_id: branchId, source_timestamp: '2026-01-31T08:00:00Z' };
    const path = `${branches}/${branch.branchId}/restore`;
    const { status, body } = await service.call<{ message: string }>('POST', path, restore);
    expect([status, body.message]).toEqual([501, expect.stringContaining('source_timestamp')]);
  });
});
