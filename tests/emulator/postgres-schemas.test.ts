import { describe, expect, it } from 'vitest';
import { createTable } from '../support/branch-with-table';
import { hasPostgres, PostgresEmulator, usePostgres } from '../support/postgres-emulator';

/** Creates or replaces a function of this name for a number. */
const define = (name: string, body: string) =>
  `CREATE OR REPLACE FUNCTION ${name}(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN 1; END $$`;

describe.skipIf(!hasPostgres)('the schema of a branch', () => {
  const service = usePostgres();
  /** A branch with a table, and what reads its schema. */
  const createSchema = async () => {
    const table = await createTable(service());
    const readSchema = async (query = 'db_name=app', { send, branchId } = table.place) =>
      send('GET', `branches/${branchId}/schema?${query}`);
    return { ...table, readSchema };
  };

  it('a schema-only branch has the tables, roles and grants, and no rows', async () => {
    const { place, client, copySchema } = await createSchema();
    await place.createRole('reporting');
    const owner = await place.connect();
    await owner.query('GRANT SELECT ON notes TO reporting');
    await owner.query('CREATE EXTENSION citext');
    await owner.query('ALTER TABLE notes ADD word citext');
    await owner.query("CREATE FUNCTION label(int) RETURNS text LANGUAGE sql AS $$SELECT 'no ' || $1$$");
    await owner.query('CREATE VIEW labels AS SELECT label(id) FROM notes');
    const { login, error } = await copySchema();
    expect(error).toBeUndefined();
    const copy = await place.connect(login);
    expect(await copy.ask('SELECT count(*)::int FROM labels')).toBe(0);
    expect(await copy.ask("SELECT has_table_privilege('reporting', 'notes', 'SELECT')")).toBe(true);
    expect(await copy.ask("INSERT INTO notes (text) VALUES ('new') RETURNING id")).toBe(1);
    await copy.query('DROP EXTENSION citext CASCADE');
    expect(await copy.ask("SELECT count(*)::int FROM pg_roles WHERE rolname LIKE 'copy%'")).toBe(0);
    expect(await owner.ask('SELECT count(*)::int FROM notes')).toBe(1);
    expect(client.cutOffBy).toBeDefined();
  });

  it('no function of a client runs as the superuser when a schema is copied', async () => {
    const { client, copySchema } = await createSchema();
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
    expect((await copySchema()).error).toBeUndefined();
  });

  it('GET /schema shows the statements of a branch, without its data', async () => {
    const { readSchema } = await createSchema();
    const { body } = await readSchema();
    expect(body).toEqual({ sql: expect.stringContaining('CREATE TABLE public.notes') });
    expect((await readSchema()).body).toEqual(body); // A newer pg_dump writes a random word.
    expect((await readSchema('db_name=none')).status).toBe(404);
    expect((await readSchema('db_name=app&format=json')).status).toBe(501);
  });

  it('GET /schema is UTF-8 with standard strings, whatever a role has set', async () => {
    const { client, readSchema } = await createSchema();
    await client.query(
      `ALTER DATABASE app SET client_encoding = 'SJIS'; ALTER DATABASE app SET standard_conforming_strings = off`,
    );
    await client.query(`CREATE VIEW texts AS SELECT 'ソ\\' AS text`);
    expect((await readSchema()).body.sql).toContain(`SELECT 'ソ\\'::text`);
  });

  it('GET /schema fails for a schema that is too large', async () => {
    const { client, readSchema } = await createSchema();
    await client.query(
      "DO $$ BEGIN EXECUTE format('COMMENT ON TABLE notes IS %L', repeat('x', 34000000)); END $$",
    );
    expect((await readSchema()).body.message).toContain('the schema of database "app" is larger than');
  });

  it("a client's lock fails a copy of the schema, and holds up nothing else", async () => {
    const { client, copySchema } = await createSchema();
    await client.query('BEGIN; LOCK TABLE notes');
    expect((await copySchema()).error).toContain('LOCK TABLE');
  });

  it('a database that accepts no connections fails a copy of the schema', async () => {
    const { place, copySchema } = await createSchema();
    const client = await place.connect({ database: 'postgres' });
    await client.query('ALTER DATABASE app ALLOW_CONNECTIONS false');
    expect((await copySchema()).error).toContain('"app" is not currently accepting connections');
  });

  it('a function that never returns holds up only the copy of its schema', async () => {
    const own = await PostgresEmulator.start();
    const { connect, send, projectId, branchId } = await own.createProject();
    const client = await connect();
    await client.query(define('wait', 'PERFORM 1'));
    await client.query('CREATE TABLE notes (id int); CREATE INDEX ON notes (id) WHERE id > wait(1)');
    await client.query(define('wait', 'PERFORM pg_sleep(1000)'));
    await send('POST', 'branches', { branch: { parent_id: branchId, init_source: 'schema-only' } });
    const isUnderWay = () => own.emulator.operations(projectId).some(({ status }) => status === 'running');
    await expect.poll(isUnderWay).toBe(true);
    expect((await send('GET', `branches/${branchId}/schema?db_name=app`)).status).toBe(200);
    // It waits for no copy of a schema.
    await own.emulator.stop();
  });

  it('GET /schema ends when the branch is deleted', async () => {
    const { branch, readSchema } = await createSchema();
    const holder = await branch.connect();
    // Each pg_dump reads what this view shows.
    await holder.query('BEGIN; LOCK TABLE pg_available_extensions');
    const schema = readSchema(undefined, branch);
    const waiting = 'SELECT count(*)::int FROM pg_locks WHERE NOT granted';
    await expect.poll(() => holder.ask(waiting)).toBe(1);
    expect((await branch.send('DELETE', `branches/${branch.branchId}`)).status).toBe(200);
    expect((await schema).body.message).toContain(`${branch.branchId} was deleted`);
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
    const { client, copySchema } = await createSchema();
    await client.query(define('raise', 'NULL'));
    await client.query('CREATE INDEX ON notes (id) WHERE id > raise(1)');
    await client.query(define('raise', statement));
    expect((await copySchema()).error).toMatch(error);
  });
});
