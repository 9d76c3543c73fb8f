import { setTimeout } from 'node:timers/promises';
import { range } from 'lodash';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasPostgres, type Login, PostgresEmulator } from '../support/postgres-emulator';
import { kill } from '../support/provider-hosts';

interface Role {
  role: { password: string };
}

describe.skipIf(!hasPostgres)('an owner cannot make its endpoint unusable', () => {
  let service: PostgresEmulator;
  beforeAll(async () => {
    service = await PostgresEmulator.start();
    return () => service.emulator.stop();
  });

  const createProject = async () => {
    const place = await service.createProject();
    const path = `/projects/${place.projectId}/branches/${place.branchId}`;
    /** Sends a change, and returns its apply_config when that has ended. */
    const change = async (method: string, rest: string, body?: object) => {
      const response = await service.call<Role>(method, `${path}/${rest}`, body);
      const operations = await service.endOperations(place.projectId);
      return { ...operations.find(({ action }) => action === 'apply_config'), body: response.body };
    };
    const restart = async () => {
      await service.call('POST', `/projects/${place.projectId}/endpoints/${place.endpointId}/restart`);
      await service.endOperations(place.projectId);
    };
    return { ...place, change, restart };
  };

  it.each([
    "SET role = 'app_owner'",
    "SET session_authorization = 'app_owner'",
    "SET local_preload_libraries = 'nope'",
    'SET search_path = mine',
    'SET default_transaction_read_only = on',
    "SET default_transaction_isolation = 'serializable'",
    "SET statement_timeout = '1ms'",
    "SET default_tablespace = 'nope'",
    "SET client_encoding = 'SQL_ASCII'",
    'SET exit_on_error = on',
    'CONNECTION LIMIT 0',
  ])('by ALTER DATABASE app %s', async (words) => {
    const { login, change, restart } = await createProject();
    const owner = await service.connect(login);
    await owner.query(`CREATE TABLE notes (); ALTER DATABASE app ${words}`);
    const elsewhere = { ...login, database: words === 'CONNECTION LIMIT 0' ? 'postgres' : 'app' };
    const created = await change('POST', 'roles', { role: { name: 'bob' } });
    expect(created).toMatchObject({ status: 'finished' });
    const bob = { ...elsewhere, role: 'bob', password: created.body.role.password };
    await (await service.connect(bob)).query('SELECT');
    expect(await change('DELETE', 'roles/bob')).toMatchObject({ status: 'finished' });
    await expect(service.connect(bob)).rejects.toThrow(/password authentication failed/);
    await restart();
    await (await service.connect(elsewhere)).query('SELECT');
  });

  it('by an interrupted DROP DATABASE', async () => {
    const { login, change } = await createProject();
    const connect = () => service.connect({ ...login, database: 'postgres' });
    const [owner, stopped] = [await connect(), await connect()];
    const limit = "SELECT datconnlimit FROM pg_database WHERE datname = 'app'";
    // Between two of its steps, it waits for every server process, and one of them does not answer.
    const processes = [stopped, owner].map((client) => client.ask('SELECT pg_backend_pid()'));
    const [waitedFor = 0, dropping = 0] = (await Promise.all(processes)).map(Number);
    const resume = () => kill(waitedFor, 'SIGCONT');
    onTestFinished(() => void resume());
    process.kill(waitedFor, 'SIGSTOP');
    const dropped = expect(owner.query('DROP DATABASE app')).rejects.toThrow('canceling statement');
    const other = await connect();
    await expect.poll(() => other.ask(limit)).toBe(-2);
    await other.query(`SELECT pg_cancel_backend(${dropping})`);
    await dropped;
    resume();
    expect(await change('POST', 'roles', { role: { name: 'bob' } })).toMatchObject({ status: 'finished' });
    expect(await change('DELETE', 'databases/app')).toMatchObject({ status: 'finished' });
    expect(await (await connect()).ask(limit)).toBeUndefined();
  });

  it('nor hold up the end of the emulator', async () => {
    const own = await PostgresEmulator.start();
    const { projectId, branchId, login } = await own.createProject();
    const owner = await own.connect(login);
    // Before version 17, Postgres computes this without a look at interruptions.
    const slow = `SCRAM-SHA-256$2000000000:MDEyMzQ1Njc4OWFiY2RlZg==$${Array(2)
      .fill(`${'A'.repeat(43)}=`)
      .join(':')}`;
    const databases = `/projects/${projectId}/branches/${branchId}/databases`;
    await own.call('POST', databases, { database: { name: 'scrap', owner_name: login.role } });
    await own.endOperations(projectId);
    owner.query(`ALTER ROLE ${login.role} PASSWORD '${slow}'`).catch(() => undefined);
    await setTimeout(500);
    await own.call('DELETE', `${databases}/scrap`);
    await own.emulator.stop();
  });

  it('by a change that Postgres refuses, whose reason apply_config has', async () => {
    const { login, change, restart } = await createProject();
    const owner = await service.connect(login);
    await owner.query('CREATE DATABASE own');
    const bob = await change('POST', 'roles', { role: { name: 'bob' } });
    const toOwn: Login = { ...login, database: 'own', role: 'bob', password: bob.body.role.password };
    await (await service.connect({ ...login, database: 'own' })).query(
      'GRANT CREATE ON SCHEMA public TO bob',
    );
    await (await service.connect(toOwn)).query('CREATE TABLE notes ()');
    await (await service.connect(login)).query('ALTER DATABASE own ALLOW_CONNECTIONS false');
    const refused = { status: 'failed', error: expect.stringMatching(/"bob" cannot be dropped/) };
    expect(await change('DELETE', 'roles/bob')).toMatchObject(refused);
    await expect(service.connect({ ...toOwn, database: 'app' })).rejects.toThrow(/not permitted to log in/);
    await restart();
    expect(await change('POST', 'roles', { role: { name: 'eve' } })).toMatchObject(refused);
    const client = await service.connect(login);
    // What Postgres accepts is done all the same.
    expect(await client.ask("SELECT count(*)::int FROM pg_roles WHERE rolname = 'eve'")).toBe(1);
    await (await service.connect({ ...login, database: 'postgres' })).query('DROP DATABASE own');
    expect(await change('POST', 'roles', { role: { name: 'ann' } })).toMatchObject({ status: 'finished' });
  });

  it('by a database in which the emulator cannot connect', async () => {
    const { login, change } = await createProject();
    const owner = await service.connect(login);
    await owner.query("CREATE DATABASE own ENCODING 'MULE_INTERNAL' LOCALE 'C' TEMPLATE template0");
    await change('POST', 'roles', { role: { name: 'bob' } });
    expect(await change('DELETE', 'roles/bob')).toMatchObject({ status: 'finished' });
  });

  it('by clients that read nothing: they go with the compute', async () => {
    const { projectId, endpointId, login } = await createProject();
    const silent = await service.connect(login);
    silent.connection.stream.pause();
    silent.query("SELECT repeat('x', 1000000) FROM generate_series(1, 100)").catch(() => undefined);
    const owner = await service.connect(login);
    const end = `SELECT count(pg_terminate_backend(pid))::int FROM pg_stat_activity WHERE query LIKE '%repeat%' AND pid <> pg_backend_pid()`;
    expect(await owner.ask(end)).toBe(1);
    await service.call('POST', `/projects/${projectId}/endpoints/${endpointId}/suspend`);
    await service.endOperations(projectId);
    // It reads nothing, so only a write shows that the connection is closed.
    const isCutOff = () => !silent.connection.stream.write('x') || silent.cutOffBy !== undefined;
    await expect.poll(isCutOff).toBe(true);
  });

  it('by taking every connection: roles still change', async () => {
    const { login, change } = await createProject();
    const clients = await Promise.allSettled(range(130).map(() => service.connect(login)));
    const reasons = clients.filter((client) => client.status === 'rejected').map(({ reason }) => reason);
    expect(reasons.length).toBeGreaterThan(15);
    for (const { message } of reasons) expect(message).toMatch(/too many clients|remaining connection slots/);
    expect(await change('POST', 'roles', { role: { name: 'bob' } })).toMatchObject({ status: 'finished' });
  });
});
