import { beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, type Login, PostgresEmulator } from '../support/postgres-emulator';

interface Role {
  role: { password: string };
}

const failedWith = (reason: RegExp) => ({ status: 'failed', error: expect.stringMatching(reason) });

describe.skipIf(!hasPostgres)('roles and databases of the API in Postgres', () => {
  let service: PostgresEmulator;
  beforeAll(async () => {
    service = await PostgresEmulator.start();
    return () => service.emulator.stop();
  });

  /** A project, with its calls below the branch. */
  const createProject = async () => {
    const place = await service.createProject();
    const path = `/projects/${place.projectId}/branches/${place.branchId}`;
    const send = async <Body>(method: string, rest: string, body?: object) => {
      const response = await service.call<Body>(method, `${path}/${rest}`, body);
      await service.endOperations(place.projectId);
      return response;
    };
    const createRole = async (name: string): Promise<Login> => {
      const { body } = await send<Role>('POST', 'roles', { role: { name } });
      return { ...place.login, role: name, password: body.role.password };
    };
    /** How the last change ended. */
    const end = async () => (await service.endOperations(place.projectId))[0];
    return { ...place, send, createRole, end };
  };

  it.each(['running', 'stopped'])('a new role can log in to a %s server and use the data', async (state) => {
    const { login, createRole, projectId, endpointId } = await createProject();
    const owner = await service.connect(login);
    await owner.query('CREATE TABLE visits AS SELECT 1 AS number');
    if (state === 'stopped')
      await service.call('POST', `/projects/${projectId}/endpoints/${endpointId}/suspend`);
    const client = await service.connect(await createRole(`Bob "the" O'Hara`));
    expect(await client.ask('SELECT number FROM visits')).toBe(1);
    expect(await client.ask('SELECT rolsuper FROM pg_roles WHERE rolname = current_user')).toBe(false);
  });

  it('a reset of a password drops connections and the old password', async () => {
    const { login, send, endpointId } = await createProject();
    const client = await service.connect(login);
    const { body } = await send<Role>('POST', `roles/${login.role}/reset_password`);
    await expect.poll(() => client.cutOffBy).toMatch(/terminating connection/);
    expect(service.emulator.connectionDrops(endpointId)).toBe(1);
    await expect(service.connect(login)).rejects.toThrow(/password authentication failed/);
    await service.connect({ ...login, password: body.role.password });
  });

  it('a role of the API is none that a client has created before', async () => {
    const { login, send, createRole, end } = await createProject();
    const maker = await createRole('maker');
    for (const [creator, name] of [
      [login, 'bob'],
      [maker, 'eve'],
    ] as const) {
      const client = await service.connect(creator);
      if (Number(await client.ask('SHOW server_version_num')) < 160_000) return;
      await client.query(`CREATE ROLE ${name}`);
    }
    // Then no role has rights to the role that it has created.
    await send('DELETE', 'roles/maker');
    for (const name of ['bob', 'eve']) {
      await createRole(name);
      expect(await end()).toMatchObject(failedWith(new RegExp(`role "${name}" already exists`)));
      await send('DELETE', `roles/${name}`);
    }
  });

  it('a change that fails keeps none of the others from being made', async () => {
    const { login, send, createRole, end } = await createProject();
    const bob = await createRole('bob');
    const bobs = await service.connect(bob);
    const owners = await service.connect(login);
    await owners.query('CREATE DATABASE own');
    await send('POST', 'databases', { database: { name: 'own', owner_name: login.role } });
    await send('DELETE', 'roles/bob');
    expect(await end()).toMatchObject(failedWith(/"own" already exists/));
    expect(bobs.cutOffBy).toMatch(/terminating connection/);
    await expect(service.connect(bob)).rejects.toThrow(/password authentication failed/);
    await owners.query('SELECT');
    const eve = await createRole('eve');
    expect(owners.cutOffBy).toMatch(/terminating connection/);
    await (await service.connect({ ...login, database: 'postgres' })).query('DROP DATABASE own');
    await createRole('ann');
    expect(await end()).toMatchObject({ status: 'finished' });
    await service.connect({ ...eve, database: 'own' });
  });

  it.each([
    ['renamed', 'ALTER DATABASE app RENAME TO mine'],
    ['deleted', 'ALTER DATABASE app RENAME TO mine'],
    ['renamed', 'DROP DATABASE app'],
    ['deleted', 'DROP DATABASE app'],
  ])('no other database is %s after %s', async (what, statement) => {
    const method = what === 'renamed' ? 'PATCH' : 'DELETE';
    const { login, send, end } = await createProject();
    const client = await service.connect({ ...login, database: 'postgres' });
    const names =
      "SELECT string_agg(datname, ',' ORDER BY datname) FROM pg_database WHERE datname !~ '^template'";
    for (const query of [statement, 'CREATE DATABASE other', 'ALTER DATABASE other RENAME TO app'])
      await client.query(query);
    await send(method, 'databases/app', { database: { name: 'shop' } });
    const isLost = method === 'PATCH' && statement.startsWith('DROP');
    expect(await end()).toMatchObject(isLost ? failedWith(/it was dropped by SQL/) : { status: 'finished' });
    const isRenamed = method === 'PATCH' && !isLost;
    expect(await client.ask(names)).toBe(isRenamed ? 'app,postgres,shop' : 'app,postgres');
  });

  it('a deleted role leaves its tables to the owner of the database', async () => {
    const { login, send, createRole } = await createProject();
    const owner = await service.connect(login);
    await owner.query('GRANT CREATE ON SCHEMA public TO PUBLIC');
    const bob = await createRole('bob');
    await (await service.connect(bob)).query('CREATE TABLE notes AS SELECT 1 AS number');
    await send('DELETE', 'roles/bob');
    await expect(service.connect(bob)).rejects.toThrow(/password authentication failed/);
    const next = await service.connect(login);
    expect(await next.ask("SELECT tableowner FROM pg_tables WHERE tablename = 'notes'")).toBe(login.role);
  });

  it('a deleted role leaves nothing that runs as the superuser', async () => {
    const { login, send, createRole } = await createProject();
    const bob = await createRole('bob');
    const whoAmI = 'RETURNS text LANGUAGE sql SECURITY DEFINER AS $$ SELECT current_user::text $$';
    await (await service.connect(bob)).query('CREATE DATABASE own');
    await (await service.connect({ ...bob, database: 'own' })).query(`CREATE FUNCTION who() ${whoAmI}`);
    const open = await service.connect({ ...bob, database: 'postgres' });
    await send('DELETE', 'roles/bob');
    const client = await service.connect({ ...login, database: 'own' });
    expect(await client.ask('SELECT who()')).toBe(login.role);
    expect(open.cutOffBy).toMatch(/terminating connection/);
  });

  it('the last role that is deleted can no longer log in', async () => {
    const { login, send } = await createProject();
    await service.connect(login);
    await send('DELETE', 'databases/app');
    await send('DELETE', `roles/${login.role}`);
    await expect(service.connect({ ...login, database: 'postgres' })).rejects.toThrow(
      /not permitted to log in/,
    );
  });

  it.each(['running', 'stopped'])('databases of a %s server exchange their names', async (state) => {
    const { login, send, projectId, endpointId } = await createProject();
    await send('POST', 'databases', { database: { name: 'b', owner_name: login.role } });
    for (const database of ['app', 'b']) {
      const client = await service.connect({ ...login, database });
      await client.query(`CREATE TABLE origin AS SELECT '${database}' AS name`);
    }
    if (state === 'stopped')
      await service.call('POST', `/projects/${projectId}/endpoints/${endpointId}/suspend`);
    for (const [from, to] of [
      ['app', 'c'],
      ['b', 'app'],
      ['c', 'b'],
    ])
      await send('PATCH', `databases/${from}`, { database: { name: to } });
    const contents = ['app', 'b'].map(async (database) =>
      (await service.connect({ ...login, database })).ask('SELECT name FROM origin'),
    );
    expect(await Promise.all(contents)).toEqual(['b', 'app']);
  });

  it('a transaction with a lock is ended for a change of a role', async () => {
    const { login, send, endpointId } = await createProject();
    const client = await service.connect(login);
    await client.query("BEGIN; ALTER ROLE app_owner SET work_mem = '5MB'; ALTER ROLE app_owner PASSWORD 'x'");
    const { body } = await send<Role>('POST', `roles/${login.role}/reset_password`);
    await service.connect({ ...login, password: body.role.password });
    expect(client.cutOffBy).toMatch(/terminating connection/);
    expect(service.emulator.connectionDrops(endpointId)).toBe(1);
  });

  it('a setting that makes commits wait does not hold up a change of a role', async () => {
    const { projectId, endpointId, login, createRole } = await createProject();
    await service.connect(login);
    const pg_settings = { synchronous_standby_names: 'nobody' };
    await service.patchEndpoint(projectId, endpointId, { settings: { pg_settings } });
    await service.connect(await createRole('bob'));
  });

  it('a database is created, renamed with its data, given away and deleted', async () => {
    const { login, send, createRole } = await createProject();
    await service.connect(login);
    const bob = await createRole('bob');
    await send('POST', 'databases', { database: { name: 'shop', owner_name: login.role } });
    const client = await service.connect({ ...login, database: 'shop' });
    await client.query('CREATE TABLE visits AS SELECT 1 AS number');
    await send('PATCH', 'databases/shop', { database: { name: 'store', owner_name: 'bob' } });
    const renamed = await service.connect({ ...bob, database: 'store' });
    expect(await renamed.ask('SELECT number FROM visits')).toBe(1);
    const owner = "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'store'";
    expect(await renamed.ask(owner)).toBe('bob');
    await send('DELETE', 'databases/store');
    await expect(service.connect({ ...bob, database: 'store' })).rejects.toThrow(/"store" does not exist/);
  });

  it('an inherited database keeps its data when it is renamed', async () => {
    const parent = await createProject();
    await (await service.connect(parent.login)).query('CREATE TABLE visits AS SELECT 1 AS number');
    const child = await service.createBranch(parent.projectId, parent.branchId, 'read_write');
    const path = `/projects/${child.projectId}/branches/${child.branchId}/databases/app`;
    await service.call('PATCH', path, { database: { name: 'copy' } });
    const client = await service.connect({ ...child.login, database: 'copy' });
    expect(await client.ask('SELECT number FROM visits')).toBe(1);
  });

  it('keeps roles and databases that a client creates by SQL', async () => {
    const { login, createRole } = await createProject();
    const client = await service.connect(login);
    await client.query('CREATE DATABASE own');
    await createRole('bob');
    await service.connect({ ...login, database: 'own' });
  });
});
