import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { escapeIdentifier, escapeLiteral } from 'pg';
import { SUPERUSER } from '../gateway/startup-packet';
import { notImplemented } from '../records/api-error';
import type { BranchRecord } from '../records/records';
import { adminConfig, LimitedClient } from './admin';
import type { Cluster } from './cluster';
import { runGuarded } from './guarded-process';
import { FIRST_ID, holdRole, inTransaction } from './held-roles';
import { makeServerFolder } from './server-files';

/** To read the schema of a database, or to create those of a branch. */
const LONGEST_COPY_MS = 60_000;
/** In bytes: it is in memory, as a whole. */
const LARGEST_SCHEMA = 32 * 1024 * 1024;
/** A client may hold a lock for as long as it likes, and the program sets no other limit. */
const LOCK_WAIT = '--lock-wait-timeout=5s';

/** Reads and copies the schemas of clusters, in turns of theirs. */
export class Schemas {
  readonly #pgDump: string | undefined;
  readonly #temporary: string;

  constructor(pgDump: string | undefined, temporary: string) {
    this.#pgDump = pgDump;
    this.#temporary = temporary;
  }

  check(): string {
    if (this.#pgDump !== undefined) return this.#pgDump;
    throw notImplemented('the schemas of branches here: pg_dump is not beside the programs of Postgres');
  }

  dump(cluster: Cluster, database: string): Promise<string> {
    return cluster.whileRunning(() => this.#dump(cluster, database));
  }

  /** The schemas of those databases of a branch that the cluster has, by their names. */
  async read(cluster: Cluster, { databases }: BranchRecord): Promise<Map<string, string>> {
    const dumps = new Map<string, string>();
    await cluster.whileRunning(async () => {
      const query = 'SELECT datname FROM pg_database';
      const { rows } = await cluster.connect('postgres', (admin) => admin.query(query));
      for (const { name } of databases)
        if (rows.some(({ datname }) => datname === name)) dumps.set(name, await this.#dump(cluster, name));
    });
    return dumps;
  }

  /** Gives a new cluster the databases of a branch, with these schemas. */
  write(cluster: Cluster, branch: BranchRecord, dumps: ReadonlyMap<string, string>): Promise<void> {
    return cluster.whileRunning(async () => {
      await cluster.update(branch);
      await inTime(cluster, () => replay(cluster, branch, dumps));
    });
  }

  async #dump(cluster: Cluster, database: string): Promise<string> {
    const folder = makeServerFolder(await mkdtemp(join(this.#temporary, 'dump-')));
    const file = join(folder, 'schema.sql');
    const args = ['--schema-only', `--role=${SUPERUSER}`, '--encoding=UTF8', LOCK_WAIT, '--file', file];
    const { sockets, password } = cluster.adminAccess;
    const { options = '' } = adminConfig(cluster.adminAccess, database);
    const login = { PGHOST: sockets, PGPORT: '5432', PGUSER: SUPERUSER, PGPASSWORD: password };
    const environment = { ...login, PGCONNECT_TIMEOUT: '10', PGOPTIONS: options, PGDATABASE: database };
    try {
      await inTime(cluster, (signal) => runGuarded(this.check(), args, { environment, signal }));
      if (statSync(file).size > LARGEST_SCHEMA)
        throw new Error(`the schema of database "${database}" is larger than ${LARGEST_SCHEMA} bytes`);
      return withoutCommands(readFileSync(file, 'utf8'));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/**
 * Runs the statements of each dump in its database. They call functions of clients, such as the check of a domain, and what a session
 * authorization or a role takes from a superuser, such a function can take back. So the session is that of a role with no rights but
 * those of the branch's roles, which exists until the end.
 */
async function replay(
  cluster: Cluster,
  { databases }: BranchRecord,
  dumps: ReadonlyMap<string, string>,
): Promise<void> {
  const user = `copy_${randomBytes(8).toString('hex')}`;
  const role = escapeIdentifier(user);
  const password = randomBytes(24).toString('hex');
  await cluster.connect('postgres', async (admin) => {
    const { rows } = await admin.query(`SELECT rolname FROM pg_authid WHERE oid::bigint >= ${FIRST_ID}`);
    const roles = rows.map(({ rolname }) => escapeIdentifier(rolname)).join(', ');
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD ${escapeLiteral(password)}`);
    if (roles !== '') await admin.query(`GRANT ${roles} TO ${role}`);
  });
  const { sockets } = cluster.adminAccess;
  for (const { name: database, owner_name: owner } of databases) {
    const dump = dumps.get(database);
    if (dump === undefined) continue;
    const session = new LimitedClient({ host: sockets, port: 5432, user, password, database, ssl: false });
    await session.connect();
    await session.query(dump).finally(() => session.end());
    await cluster.connect(database, (admin) =>
      inTransaction(admin, async () => {
        await holdRole(admin, owner);
        // What a dump gives no owner, such as an extension.
        await admin.query(`REASSIGN OWNED BY ${role} TO ${escapeIdentifier(owner)}`);
        await admin.query(`DROP OWNED BY ${role}`);
      }),
    );
  }
  await cluster.connect('postgres', (admin) => admin.query(`DROP ROLE ${role}`));
}

/** Statements may call a client's function, which never returns, or wait for its lock. The end of the server then ends them. */
async function inTime(cluster: Cluster, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  cluster.leaving.signal.throwIfAborted();
  const late = new AbortController();
  const tooLate = new Error(`its schema was not complete after ${LONGEST_COPY_MS / 1000} s`);
  const timer = setTimeout(() => late.abort(tooLate), LONGEST_COPY_MS);
  const signal = AbortSignal.any([cluster.leaving.signal, late.signal]);
  const ended = new Promise<void>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  await Promise.race([work(signal), ended]).finally(() => clearTimeout(timer));
}

/** Newer versions of pg_dump begin and end with a command for psql, which keeps it from running others. It has a random word. */
function withoutCommands(dump: string): string {
  const [, word] = /^\\restrict (\w+)$/m.exec(dump) ?? [];
  return word === undefined ? dump : dump.replaceAll(new RegExp(`^\\\\(un)?restrict ${word}\n`, 'gm'), '');
}
