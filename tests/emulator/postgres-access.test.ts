import { describe, expect, it } from 'vitest';
import { hasPostgres, usePostgres } from '../support/postgres-emulator';

const failedWith = (reason: RegExp) => ({ status: 'failed', error: expect.stringMatching(reason) });

describe.skipIf(!hasPostgres)('roles and databases of the API in Postgres', () => {
  const service = usePostgres();

  it.each(['running', 'stopped'])('a new role can log in to a %s server and use the data', async (state) => {
    const { connect, createRole, command } = await service().createProject();
    await (await connect()).query('CREATE TABLE visits AS SELECT 1 AS number');
    if (state === 'stopped') await command('suspend');
    const client = await connect(await createRole(`Bob "the" O'Hara`));
    expect(await client.ask('SELECT number FROM visits')).toBe(1);
    expect(await client.ask('SELECT rolsuper FROM pg_roles WHERE rolname = current_user')).toBe(false);
  });

  it('a reset of a password drops connections and the old password', async () => {
    const { connect, onBranch, endpointId } = await service().createProject();
    const client = await connect();
    const { body } = await onBranch('POST', 'roles/app_owner/reset_password');
    await expect.poll(() => client.cutOffBy).toMatch(/terminating connection/);
    expect(service().emulator.connectionDrops(endpointId)).toBe(1);
    await expect(connect()).rejects.toThrow(/password authentication failed/);
    await connect({ password: body.role.password });
  });

  it.each([
    ['a reset of its password', 'POST', 'roles/bob/reset_password'],
    ['the deletion of its role', 'DELETE', 'roles/bob'],
  ])('%s ends a login that its client holds up', async (_what, method, path) => {
    const { connect, onBranch, createRole } = await service().createProject();
    const bob = await createRole('bob');
    const client = await connect();
    const held = connect(bob, { options: '-c post_auth_delay=20' });
    const ended = expect(held.then((login) => login.query('SELECT'))).rejects.toThrow();
    const others = 'SELECT count(DISTINCT pid)::int FROM pg_locks WHERE pid <> pg_backend_pid()';
    await expect.poll(() => client.ask(others)).toBe(1);
    await onBranch(method, path);
    await ended;
  });

  it('a role of the API is none that a client has created before', async () => {
    const { login, connect, onBranch, createRole } = await service().createProject();
    const maker = await createRole('maker');
    for (const [creator, name] of [
      [login, 'bob'],
      [maker, 'eve'],
    ] as const) {
      const client = await connect(creator);
      if (Number(await client.ask('SHOW server_version_num')) < 160_000) return;
      await client.query(`CREATE ROLE ${name}`);
    }
    // Then no role has rights to the role that it has created.
    await onBranch('DELETE', 'roles/maker');
    for (const name of ['bob', 'eve']) {
      const { operations } = await onBranch('POST', 'roles', { role: { name } });
      expect(operations[0]).toMatchObject(failedWith(new RegExp(`role "${name}" already exists`)));
      await onBranch('DELETE', `roles/${name}`);
    }
  });

  it('a change that fails keeps none of the others from being made', async () => {
    const { login, connect, onBranch, createRole } = await service().createProject();
    const bob = await createRole('bob');
    const bobs = await connect(bob);
    const owners = await connect();
    await owners.query('CREATE DATABASE own');
    await onBranch('POST', 'databases', { database: { name: 'own', owner_name: login.role } });
    const { operations } = await onBranch('DELETE', 'roles/bob');
    expect(operations[0]).toMatchObject(failedWith(/"own" already exists/));
    expect(bobs.cutOffBy).toMatch(/terminating connection/);
    await expect(connect(bob)).rejects.toThrow(/password authentication failed/);
    await owners.query('SELECT');
    const eve = await createRole('eve');
    expect(owners.cutOffBy).toMatch(/terminating connection/);
    await (await connect({ database: 'postgres' })).query('DROP DATABASE own');
    const { operations: last } = await onBranch('POST', 'roles', { role: { name: 'ann' } });
    expect(last[0]).toMatchObject({ status: 'finished' });
    await connect({ ...eve, database: 'own' });
  });

  it.each([
    ['renamed', 'ALTER DATABASE app RENAME TO mine'],
    ['deleted', 'ALTER DATABASE app RENAME TO mine'],
    ['renamed', 'DROP DATABASE app'],
    ['deleted', 'DROP DATABASE app'],
  ])('no other database is %s after %s', async (what, statement) => {
    const method = what === 'renamed' ? 'PATCH' : 'DELETE';
    const { connect, onBranch } = await service().createProject();
    const client = await connect({ database: 'postgres' });
    const names =
      "SELECT string_agg(datname, ',' ORDER BY datname) FROM pg_database WHERE datname !~ '^template'";
    for (const query of [statement, 'CREATE DATABASE other', 'ALTER DATABASE other RENAME TO app'])
      await client.query(query);
    const { operations } = await onBranch(method, 'databases/app', { database: { name: 'shop' } });
    const isLost = method === 'PATCH' && statement.startsWith('DROP');
    expect(operations[0]).toMatchObject(
      isLost ? failedWith(/it was dropped by SQL/) : { status: 'finished' },
    );
    const isRenamed = method === 'PATCH' && !isLost;
    expect(await client.ask(names)).toBe(isRenamed ? 'app,postgres,shop' : 'app,postgres');
  });

  it.each(['bob', '__proto__'])('the deleted role %s leaves its tables to their database', async (name) => {
    const { login, connect, onBranch, createRole } = await service().createProject();
    await (await connect()).query('GRANT CREATE ON SCHEMA public TO PUBLIC');
    const bob = await createRole(name);
    await (await connect(bob)).query('CREATE TABLE notes AS SELECT 1 AS number');
    await onBranch('DELETE', `roles/${name}`);
    await expect(connect(bob)).rejects.toThrow(/password authentication failed/);
    const next = await connect();
    expect(await next.ask("SELECT tableowner FROM pg_tables WHERE tablename = 'notes'")).toBe(login.role);
  });

  it('a deleted role leaves nothing that runs as the superuser', async () => {
    const { login, connect, onBranch, createRole } = await service().createProject();
    const bob = await createRole('bob');
    const whoAmI = 'RETURNS text LANGUAGE sql SECURITY DEFINER AS $$ SELECT current_user::text $$';
    await (await connect(bob)).query('CREATE DATABASE own');
    await (await connect({ ...bob, database: 'own' })).query(`CREATE FUNCTION who() ${whoAmI}`);
    const open = await connect({ ...bob, database: 'postgres' });
    await onBranch('DELETE', 'roles/bob');
    const client = await connect({ database: 'own' });
    expect(await client.ask('SELECT who()')).toBe(login.role);
    expect(open.cutOffBy).toMatch(/terminating connection/);
  });

  it('the last role that is deleted can no longer log in', async () => {
    const { login, connect, onBranch } = await service().createProject();
    await connect();
    await onBranch('DELETE', 'databases/app');
    await onBranch('DELETE', `roles/${login.role}`);
    await expect(connect({ database: 'postgres' })).rejects.toThrow(/not permitted to log in/);
  });

  it.each(['running', 'stopped'])('databases of a %s server exchange their names', async (state) => {
    const { login, connect, onBranch, command } = await service().createProject();
    await onBranch('POST', 'databases', { database: { name: 'b', owner_name: login.role } });
    for (const database of ['app', 'b'])
      await (await connect({ database })).query(`CREATE TABLE origin AS SELECT '${database}' AS name`);
    if (state === 'stopped') await command('suspend');
    for (const [from, to] of [
      ['app', 'c'],
      ['b', 'app'],
      ['c', 'b'],
    ])
      await onBranch('PATCH', `databases/${from}`, { database: { name: to } });
    const contents = ['app', 'b'].map(async (database) =>
      (await connect({ database })).ask('SELECT name FROM origin'),
    );
    expect(await Promise.all(contents)).toEqual(['b', 'app']);
  });

  it('a transaction with a lock is ended for a change of a role', async () => {
    const { connect, onBranch, endpointId } = await service().createProject();
    const client = await connect();
    await client.query("BEGIN; ALTER ROLE app_owner SET work_mem = '5MB'; ALTER ROLE app_owner PASSWORD 'x'");
    const { body } = await onBranch('POST', 'roles/app_owner/reset_password');
    await connect({ password: body.role.password });
    expect(client.cutOffBy).toMatch(/terminating connection/);
    expect(service().emulator.connectionDrops(endpointId)).toBe(1);
  });

  it('a setting that makes commits wait does not hold up a change of a role', async () => {
    const { connect, patch, createRole } = await service().createProject();
    await connect();
    await patch({ settings: { pg_settings: { synchronous_standby_names: 'nobody' } } });
    await connect(await createRole('bob'));
  });

  it('a database is created, renamed with its data, given away and deleted', async () => {
    const { login, connect, onBranch, createRole } = await service().createProject();
    const bob = await createRole('bob');
    await onBranch('POST', 'databases', { database: { name: 'shop', owner_name: login.role } });
    await (await connect({ database: 'shop' })).query('CREATE TABLE visits AS SELECT 1 AS number');
    await onBranch('PATCH', 'databases/shop', { database: { name: 'store', owner_name: 'bob' } });
    const renamed = await connect({ ...bob, database: 'store' });
    expect(await renamed.ask('SELECT number FROM visits')).toBe(1);
    const owner = "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'store'";
    expect(await renamed.ask(owner)).toBe('bob');
    await onBranch('DELETE', 'databases/store');
    await expect(connect({ ...bob, database: 'store' })).rejects.toThrow(/"store" does not exist/);
  });

  it('an inherited database keeps its data when it is renamed', async () => {
    const parent = await service().createProject();
    await (await parent.connect()).query('CREATE TABLE visits AS SELECT 1 AS number');
    const child = await service().createBranch(parent, 'read_write');
    await child.onBranch('PATCH', 'databases/app', { database: { name: 'copy' } });
    const client = await child.connect({ database: 'copy' });
    expect(await client.ask('SELECT number FROM visits')).toBe(1);
  });
});
