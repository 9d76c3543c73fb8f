import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { removeAtEnd, startGuarded } from '../../emulator/src/data-plane/guarded-process';

const run = promisify(execFile);
/** Postgres refuses to run as root, so it runs as nobody there. */
export const serverUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
const SUPERUSER = 'cloud_admin';
const ACCESS = `local all ${SUPERUSER} trust\nlocal all all scram-sha-256\nhost all all all scram-sha-256\n`;

/**
 * A Postgres without the emulator, with the role `app`, whose password is `secret` (SCRAM), and its database `app`.
 */
export interface PlainPostgres {
  /** The path of its Unix socket. */
  readonly socket: string;
  /** Runs a query as the superuser. */
  query(text: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/**
 * The folder of `postgres` and `initdb` on PATH; undefined if there is none.
 * @throws Error if there is none and REQUIRE_POSTGRES is 1
 */
export function findPostgres(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const folders = (environment.PATH ?? '').split(delimiter);
  const found = folders.find((folder) =>
    ['postgres', 'initdb'].every((name) => existsSync(join(folder, name))),
  );
  if (found === undefined && environment.REQUIRE_POSTGRES === '1') {
    throw new Error(
      'REQUIRE_POSTGRES is 1, and no folder on PATH has both postgres and initdb: install Postgres',
    );
  }
  return found;
}

/**
 * Creates a cluster and starts a server on it, with these settings. The password may be in the form that Postgres stores.
 * Both end with this process, even by kill -9.
 */
export async function startPlainPostgres(
  bin: string,
  settings: Readonly<Record<string, string>> = {},
  password = 'secret',
): Promise<PlainPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'plain-postgres-'));
  const remove = removeAtEnd(folder);
  if (serverUser !== undefined) chownSync(folder, serverUser.uid, serverUser.gid);
  const data = join(folder, 'data');
  const initdb = ['-D', data, '-U', SUPERUSER, '-A', 'trust', '-N', '--no-instructions'];
  await run(join(bin, 'initdb'), initdb, { ...serverUser });
  writeFileSync(join(data, 'pg_hba.conf'), ACCESS);
  const { port = '5432' } = settings;
  const flags = {
    listen_addresses: '',
    unix_socket_directories: folder,
    port,
    fsync: 'off',
    ...settings,
  };
  const words = Object.entries(flags).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = startGuarded(join(bin, 'postgres'), ['-D', data, ...words]);
  child.stderr.resume();
  const ended = once(child, 'exit');
  const query = async (text: string, database = 'postgres'): Promise<Record<string, unknown>[]> => {
    const client = new Client({ host: folder, port: Number(port), user: SUPERUSER, database });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const stop = async () => {
    child.kill('SIGINT');
    await ended;
    await remove();
  };
  while (!(await query('SELECT 1').catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`postgres ended with ${child.exitCode}`);
    await sleep(20);
  }
  await query(`CREATE ROLE app LOGIN PASSWORD '${password}'`);
  await query('CREATE DATABASE app OWNER app');
  return { socket: join(folder, `.s.PGSQL.${port}`), query, stop };
}
