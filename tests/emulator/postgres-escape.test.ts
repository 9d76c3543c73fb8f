import { mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Connect } from '../../emulator/src/data-plane/access-changes';
import { asAdmin } from '../../emulator/src/data-plane/admin';
import { applyAccess, NO_ACCESS } from '../../emulator/src/data-plane/apply-access';
import { holdPasswords } from '../../emulator/src/data-plane/stored-passwords';
import { findPostgres, startPlainPostgres } from '../support/plain-postgres';
import { hasPostgres, type Place, usePostgres } from '../support/postgres-emulator';

/** The views that can be written, by an event for which they have no rule. */
const OPEN_VIEWS = `SELECT view.oid::regclass::text AS view, event
  FROM pg_class view, (VALUES ('UPDATE', 4, '2'), ('INSERT', 8, '3'), ('DELETE', 16, '4')) events (event, bit, code)
  WHERE relkind = 'v' AND pg_relation_is_updatable(view.oid, true) & bit <> 0
    AND NOT EXISTS (SELECT FROM pg_rewrite WHERE ev_class = view.oid AND ev_type::text = code)`;

describe.skipIf(!hasPostgres)('a role of the API has no way out of its database', () => {
  const service = usePostgres();
  let place: Promise<Place> | undefined;
  const shared = () => {
    place ??= service().createProject();
    return place;
  };

  it.each([
    "UPDATE pg_group SET groname = 'app2' WHERE groname = 'pg_execute_server_program'",
    "INSERT INTO pg_group (groname, grosysid) VALUES ('mine', 5)",
    "DELETE FROM information_schema.enabled_roles WHERE role_name = 'app_owner'",
  ])('changes nothing by %s', async (statement) => {
    const { connect } = await shared();
    for (const database of ['app', 'postgres', 'template1'])
      expect((await (await connect({ database })).query(statement)).rowCount).toBe(0);
  });

  it('can write no view of the superuser, in a new database either', async () => {
    const { connect } = await shared();
    await (await connect()).query('CREATE DATABASE own');
    for (const database of ['app', 'own', 'postgres', 'template1'])
      expect((await (await connect({ database })).query(OPEN_VIEWS)).rows).toEqual([]);
  });

  it.each([
    "CREATE TEMP TABLE seen (line text); COPY seen FROM PROGRAM 'id'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT lo_import('/etc/passwd')",
    "COPY pg_database TO '/var/tmp/x'",
    'CREATE EXTENSION dblink',
    "CREATE FUNCTION f() RETURNS int LANGUAGE c AS 'libc.so.6', 'getpid'",
    "ALTER DATABASE app SET session_preload_libraries = '/var/tmp/x'",
    'ALTER ROLE app_owner REPLICATION',
    'SET SESSION AUTHORIZATION cloud_admin',
    'GRANT pg_execute_server_program TO app_owner',
    "CREATE SUBSCRIPTION s CONNECTION 'host=/tmp user=cloud_admin' PUBLICATION p",
    'CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION suppress_redundant_updates_trigger()',
    "UPDATE pg_authid SET rolsuper = true WHERE rolname = 'app_owner'",
    'CREATE FUNCTION pg_catalog.mine() RETURNS int LANGUAGE sql RETURN 1',
    "SELECT pg_create_physical_replication_slot('s')",
    "SELECT pg_backup_start('x')",
    // Before Postgres 16, a long one would be in the log for good, and keep the server from starting.
    "SELECT pg_logical_emit_message(false, 'x', 'x')",
  ])('is refused %s', async (statement) => {
    const { connect } = await shared();
    await expect((await connect()).query(statement)).rejects.toMatchObject({ code: '42501' });
  });
});

const now = '2026-01-01T00:00:00Z';
const common = { branch_id: 'br', created_at: now, updated_at: now };
const role = (name: string) => ({
  ...common,
  name,
  password: 'x',
  protected: false,
  authentication_method: 'password' as const,
});
const database = (name: string, owner_name: string) => ({ ...common, id: 1, name, owner_name });

const ignore = (): void => undefined;

const startPlain = async () => {
  const postgres = await startPlainPostgres(findPostgres() ?? '');
  onTestFinished(() => postgres.stop());
  const access = { sockets: dirname(postgres.socket), password: '', version: 14 };
  const connect: Connect = (name, work) => asAdmin(access, name, work);
  let applied = NO_ACCESS;
  const apply = (roles: string[], ...databases: ReturnType<typeof database>[]) =>
    applyAccess(connect, applied, { roles: roles.map(role), databases }, 'secret', (next) => {
      applied = next;
    });
  /** A database of the role `bob`, with a table of it. */
  const createOwn = async () => {
    await postgres.query('CREATE DATABASE own OWNER bob');
    const create = 'SET ROLE bob; CREATE TABLE public.notes ()';
    await connect('own', async (admin) => void (await admin.query(create)));
  };
  return { postgres, connect, apply, createOwn };
};

it.skipIf(!hasPostgres)('takes over no database of a client, only those of an earlier attempt', async () => {
  const { postgres, apply } = await startPlain();
  await postgres.query('CREATE DATABASE store');
  const shop = database('shop', 'bob');
  const store = { ...database('store', 'bob'), id: 2, created_at: '2026-01-02T00:00:00Z' };
  const again = () => apply(['bob'], shop, store);
  await expect(again()).rejects.toThrow('database "store" already exists');
  await expect(again()).rejects.toThrow('database "store" already exists');
  await postgres.query('DROP DATABASE store');
  await again();
  const owned = "SELECT datname AS name FROM pg_database WHERE datdba = 'bob'::regrole ORDER BY name";
  expect(await postgres.query(owned)).toEqual([{ name: 'shop' }, { name: 'store' }]);
});

it.skipIf(!hasPostgres)('a role that could not be removed is tried again at another change', async () => {
  const { postgres, apply, createOwn } = await startPlain();
  const shop = database('shop', 'ann');
  await apply(['ann', 'bob'], shop);
  await createOwn();
  await postgres.query('ALTER DATABASE own ALLOW_CONNECTIONS false; ALTER DATABASE shop IS_TEMPLATE true');
  const refused = /"bob" cannot be dropped/;
  await expect(apply(['ann'])).rejects.toThrow(refused);
  const next = { ...shop, id: 2, created_at: '2026-01-02T00:00:00Z' };
  await expect(apply(['ann'], next)).rejects.toThrow(refused);
  await postgres.query('ALTER DATABASE shop CONNECTION LIMIT 7; ALTER DATABASE own ALLOW_CONNECTIONS true');
  await apply(['ann'], next);
  const isThere = "SELECT FROM pg_roles WHERE rolname = 'bob'";
  expect(await postgres.query(isThere)).toEqual([{}]);
  await apply(['ann', 'eve'], next);
  expect(await postgres.query(isThere)).toEqual([]);
  const limit = "SELECT datconnlimit AS connections FROM pg_database WHERE datname = 'shop'";
  expect(await postgres.query(limit)).toEqual([{ connections: 7 }]);
});

it.skipIf(!hasPostgres)('a role that stayed because the disk failed is tried again', async () => {
  const { postgres, apply, createOwn } = await startPlain();
  await apply(['ann', 'bob']);
  await createOwn();
  const [own] = await postgres.query("SELECT oid::text FROM pg_database WHERE datname = 'own'");
  const folder = join(dirname(postgres.socket), 'data', 'base', String(own?.oid));
  renameSync(folder, `${folder}.gone`);
  await expect(apply(['ann'])).rejects.toThrow('the emulator cannot connect to the server');
  renameSync(`${folder}.gone`, folder);
  await apply(['ann']);
  expect(await postgres.query("SELECT FROM pg_roles WHERE rolname = 'bob'")).toEqual([]);
});

it.skipIf(!hasPostgres)('a database is created where a killed attempt has left its folder', async () => {
  const { postgres, connect } = await startPlain();
  const oid = 2 ** 31;
  mkdirSync(join(dirname(postgres.socket), 'data', 'base', String(oid)));
  const shop = database('shop', 'ann');
  const applied = {
    ...NO_ACCESS,
    databases: { [shop.id]: { name: 'shop', owner: '' } },
    oids: { [shop.id]: oid },
  };
  await applyAccess(connect, applied, { roles: [role('ann')], databases: [shop] }, 'secret', ignore);
  const owner = "SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = 'shop'";
  expect(await postgres.query(owner)).toEqual([{ owner: 'ann' }]);
});

it.skipIf(!hasPostgres)('a login reads the passwords of at most 10,000 roles', async () => {
  const { postgres, connect } = await startPlain();
  const key = Buffer.alloc(32).toString('base64');
  await postgres.query(
    `INSERT INTO pg_authid SELECT 20000 + i, 'r' || i, false, false, false, false, true, false, false, -1, 'SCRAM-SHA-256$4096:AAAA$${key}:${key}' FROM generate_series(1, 10001) i`,
  );
  let names: string[] = [];
  await connect('postgres', async (admin) => {
    names = (await holdPasswords(admin)).map(({ role }) => role);
  });
  expect([names.length, names.includes('r1'), names.includes('r10001')]).toEqual([10_000, true, false]);
});

it.skipIf(!hasPostgres)("an owner's settings for hints do not reach the superuser's sessions", async () => {
  const { postgres } = await startPlain();
  for (const name of ['enable_hint', 'enable_hint_table'])
    await postgres.query(`ALTER DATABASE app SET pg_hint_plan.${name} = on`);
  const version = Number((await postgres.query('SHOW server_version_num'))[0]?.server_version_num) / 10_000;
  const access = { sockets: dirname(postgres.socket), password: '', version };
  const shown = await asAdmin(access, 'app', async (admin) => [
    (await admin.query('SHOW pg_hint_plan.enable_hint')).rows,
    (await admin.query('SHOW pg_hint_plan.enable_hint_table')).rows,
  ]);
  expect(shown.flat().flatMap(Object.values)).toEqual(['off', 'off']);
});

/** A data folder of an earlier emulator, where the views of the superuser could be written. */
describe.skipIf(!hasPostgres)('roles of the API on a cluster whose own roles are renamed', () => {
  it('a role of Postgres that has the name of a new role is not changed', async () => {
    const { postgres, apply } = await startPlain();
    await postgres.query("UPDATE pg_authid SET rolname = 'bob' WHERE rolname = 'pg_execute_server_program'");
    await expect(apply(['bob'])).rejects.toThrow('the role "bob" is one of Postgres\'s own, renamed');
    expect(await postgres.query("SELECT rolcanlogin FROM pg_authid WHERE rolname = 'bob'")).toEqual([
      { rolcanlogin: false },
    ]);
  });

  it('grants by the ids of roles, not by names that others have got', async () => {
    const { postgres, connect } = await startPlain();
    for (const [from, to] of [
      ['pg_write_all_data', 'pg_spare'],
      ['pg_execute_server_program', 'pg_write_all_data'],
    ])
      await postgres.query(`UPDATE pg_authid SET rolname = '${to}' WHERE rolname = '${from}'`);
    await applyAccess(connect, NO_ACCESS, { roles: [role('bob')], databases: [] }, 'secret', ignore);
    const granted =
      "SELECT roleid::int AS id FROM pg_auth_members WHERE member = 'bob'::regrole ORDER BY roleid";
    expect(await postgres.query(granted)).toEqual([{ id: 6181 }, { id: 6182 }]);
  });

  it('gives no database and no object to a role of Postgres', async () => {
    const { postgres, connect } = await startPlain();
    await postgres.query('ALTER DATABASE app OWNER TO pg_execute_server_program; CREATE ROLE bob');
    await postgres.query('CREATE TABLE notes (); ALTER TABLE notes OWNER TO bob');
    await postgres.query("UPDATE pg_authid SET rolname = 'eve' WHERE rolname = 'pg_execute_server_program'");
    const applied = { ...NO_ACCESS, roles: { bob: now, app: now } };
    const toEve = { roles: [role('app')], databases: [database('shop', 'eve')] };
    await expect(applyAccess(connect, applied, toEve, 'secret', ignore)).rejects.toThrow(
      /"eve" is one of Postgres's own/,
    );
    await applyAccess(connect, applied, { roles: [role('app')], databases: [] }, 'secret', ignore);
    expect(await postgres.query("SELECT tableowner FROM pg_tables WHERE tablename = 'notes'")).toEqual([
      { tableowner: 'app' },
    ]);
  });
});
