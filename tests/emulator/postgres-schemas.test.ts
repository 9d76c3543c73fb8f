import { beforeAll, describe, expect, it } from 'vitest';
import { createTable } from '../support/branch-with-table';
import { hasPostgres, PostgresEmulator } from '../support/postgres-emulator';

describe.skipIf(!hasPostgres)('the schema of a branch', () => {
  let service: PostgresEmulator;
  beforeAll(async () => {
    service = await PostgresEmulator.start();
    return () => service.emulator.stop();
  });

  it('a schema-only branch has the tables, roles and grants, and no rows', async () => {
    const place = await createTable(service);
    const { branches, projectId, branchId, copySchema } = place;
    await service.call('POST', `${branches}/${branchId}/roles`, { role: { name: 'reporting' } });
    await service.endOperations(projectId);
    const client = await service.connect(place.login);
    await client.query('GRANT SELECT ON notes TO reporting');
    await client.query('CREATE EXTENSION citext');
    await client.query('ALTER TABLE notes ADD word citext');
    await client.query("CREATE FUNCTION label(int) RETURNS text LANGUAGE sql AS $$SELECT 'no ' || $1$$");
    await client.query('CREATE VIEW labels AS SELECT label(id) FROM notes');
    const { login } = await copySchema();
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
    const { client, projectId, copySchema } = await createTable(service);
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
    await copySchema();
    const operations = await service.endOperations(projectId);
    expect(operations.filter(({ error }) => error !== undefined)).toEqual([]);
  });

  it('GET /schema shows the statements of a branch, without its data', async () => {
    const { branches, branchId } = await createTable(service);
    const path = `${branches}/${branchId}/schema?db_name=`;
    const { body } = await service.call<{ sql: string }>('GET', `${path}app`);
    expect(body).toEqual({ sql: expect.any(String) });
    expect(body.sql).toContain('CREATE TABLE public.notes');
    expect((await service.call('GET', `${path}none`)).status).toBe(404);
    expect((await service.call('GET', `${path}app&format=json`)).status).toBe(501);
  });

  it('GET /schema is UTF-8 with standard strings, whatever a role has set', async () => {
    const { client, branches, branchId } = await createTable(service);
    await client.query(
      `ALTER DATABASE app SET client_encoding = 'SJIS'; ALTER DATABASE app SET standard_conforming_strings = off`,
    );
    await client.query(`CREATE VIEW texts AS SELECT 'ソ\\' AS text`);
    const path = `${branches}/${branchId}/schema?db_name=app`;
    const { body } = await service.call<{ sql: string }>('GET', path);
    expect(body.sql).toContain(`SELECT 'ソ\\'::text`);
  });

  it('GET /schema fails for a schema that is too large', async () => {
    const { client, branches, branchId } = await createTable(service);
    await client.query(
      "DO $$ BEGIN EXECUTE format('COMMENT ON TABLE notes IS %L', repeat('x', 34000000)); END $$",
    );
    const path = `${branches}/${branchId}/schema?db_name=app`;
    const { body } = await service.call<{ message: string }>('GET', path);
    expect(body.message).toContain('the schema of database "app" is larger than');
  });

  it("a client's lock fails a copy of the schema, and holds up nothing else", async () => {
    const { branches, client, projectId, branchId, copySchema } = await createTable(service);
    await client.query('BEGIN; LOCK TABLE notes');
    await copySchema();
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
    const { branches, branch } = await createTable(service);
    const holder = await service.connect(branch.login);
    // Each pg_dump reads what this view shows.
    await holder.query('BEGIN; LOCK TABLE pg_available_extensions');
    const path = `${branches}/${branch.branchId}`;
    const schema = service.call<{ message: string }>('GET', `${path}/schema?db_name=app`);
    const waiting = 'SELECT count(*)::int FROM pg_locks WHERE NOT granted';
    await expect.poll(() => holder.ask(waiting)).toBe(1);
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
    const { client, projectId, copySchema } = await createTable(service);
    const define = (body: string) =>
      client.query(
        `CREATE OR REPLACE FUNCTION raise(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN 1; END $$`,
      );
    await define('NULL');
    await client.query('CREATE INDEX ON notes (id) WHERE id > raise(1)');
    await define(statement);
    await copySchema();
    const [failed] = (await service.endOperations(projectId)).filter(({ status }) => status === 'failed');
    expect(failed?.error).toMatch(error);
  });
});
