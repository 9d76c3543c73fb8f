import { describe, expect, it, onTestFinished } from 'vitest';
import { hasPostgres, usePostgres } from '../support/postgres-emulator';
import { kill } from '../support/provider-hosts';

const SETTINGS = [
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
];

describe.skipIf(!hasPostgres)('an owner cannot make its endpoint unusable', () => {
  const service = usePostgres();

  const createProject = async () => {
    const place = await service().createProject();
    /** The apply_config of a change, when that has ended. */
    const change = async (method: string, rest: string, body?: object) => {
      const { operations } = await place.onBranch(method, rest, body);
      return operations.find(({ action }) => action === 'apply_config');
    };
    const createRole = (name: string) => change('POST', 'roles', { role: { name } });
    return { ...place, change, createRole, newLogin: place.createRole };
  };

  it('by settings of its databases', async () => {
    const { connect, change, newLogin, command } = await createProject();
    const owner = await connect();
    const names = SETTINGS.map((_words, index) => `d${index}`);
    for (const name of names) {
      await owner.query(`CREATE DATABASE ${name}`);
      await (await connect({ database: name })).query('CREATE TABLE notes ()');
    }
    for (const [index, words] of SETTINGS.entries()) await owner.query(`ALTER DATABASE d${index} ${words}`);
    const open = names.filter((_name, index) => SETTINGS[index] !== 'CONNECTION LIMIT 0');
    const bob = await newLogin('bob');
    for (const database of open) await (await connect({ ...bob, database })).query('SELECT');
    expect(await change('DELETE', 'roles/bob')).toMatchObject({ status: 'finished' });
    await expect(connect({ ...bob, database: 'app' })).rejects.toThrow(/password authentication failed/);
    await command('restart');
    for (const database of open) await (await connect({ database })).query('SELECT');
  });

  it('by an interrupted DROP DATABASE', async () => {
    const { connect, change, createRole } = await createProject();
    const [owner, stopped] = [
      await connect({ database: 'postgres' }),
      await connect({ database: 'postgres' }),
    ];
    const limit = "SELECT datconnlimit FROM pg_database WHERE datname = 'app'";
    // Between two of its steps, it waits for every server process, and one of them does not answer.
    const processes = [stopped, owner].map((client) => client.ask('SELECT pg_backend_pid()'));
    const [waitedFor = 0, dropping = 0] = (await Promise.all(processes)).map(Number);
    const resume = () => kill(waitedFor, 'SIGCONT');
    onTestFinished(() => void resume());
    process.kill(waitedFor, 'SIGSTOP');
    const dropped = expect(owner.query('DROP DATABASE app')).rejects.toThrow('canceling statement');
    const other = await connect({ database: 'postgres' });
    await expect.poll(() => other.ask(limit)).toBe(-2);
    await other.query(`SELECT pg_cancel_backend(${dropping})`);
    await dropped;
    resume();
    expect(await createRole('bob')).toMatchObject({ status: 'finished' });
    expect(await change('DELETE', 'databases/app')).toMatchObject({ status: 'finished' });
    expect(await (await connect({ database: 'postgres' })).ask(limit)).toBeUndefined();
  });

  it('by a change that Postgres refuses, whose reason apply_config has', async () => {
    const { connect, change, createRole, newLogin, command } = await createProject();
    await (await connect()).query('CREATE DATABASE own');
    const bob = await newLogin('bob');
    await (await connect({ database: 'own' })).query('GRANT CREATE ON SCHEMA public TO bob');
    await (await connect({ ...bob, database: 'own' })).query('CREATE TABLE notes ()');
    await (await connect()).query('ALTER DATABASE own ALLOW_CONNECTIONS false');
    const refused = { status: 'failed', error: expect.stringMatching(/"bob" cannot be dropped/) };
    expect(await change('DELETE', 'roles/bob')).toMatchObject(refused);
    await expect(connect(bob)).rejects.toThrow(/not permitted to log in/);
    await command('restart');
    expect(await createRole('eve')).toMatchObject(refused);
    // What Postgres accepts is done all the same.
    const isThere = "SELECT count(*)::int FROM pg_roles WHERE rolname = 'eve'";
    expect(await (await connect()).ask(isThere)).toBe(1);
    await (await connect({ database: 'postgres' })).query('DROP DATABASE own');
    expect(await createRole('ann')).toMatchObject({ status: 'finished' });
  });

  it('by a database in which the emulator cannot connect', async () => {
    const { connect, change, createRole } = await createProject();
    const create = "CREATE DATABASE own ENCODING 'MULE_INTERNAL' LOCALE 'C' TEMPLATE template0";
    await (await connect()).query(create);
    await createRole('bob');
    expect(await change('DELETE', 'roles/bob')).toMatchObject({ status: 'finished' });
  });

  it('by clients that read nothing: they go with the compute', async () => {
    const { connect, command } = await createProject();
    const silent = await connect();
    silent.connection.stream.pause();
    silent.query("SELECT repeat('x', 1000000) FROM generate_series(1, 100)").catch(() => undefined);
    const end = `SELECT count(pg_terminate_backend(pid))::int FROM pg_stat_activity WHERE query LIKE '%repeat%' AND pid <> pg_backend_pid()`;
    expect(await (await connect()).ask(end)).toBe(1);
    await command('suspend');
    // It reads nothing, so only a write shows that the connection is closed.
    const isCutOff = () => !silent.connection.stream.write('x') || silent.cutOffBy !== undefined;
    await expect.poll(isCutOff).toBe(true);
  });
});
