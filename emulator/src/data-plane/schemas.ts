import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SUPERUSER } from '../gateway/computes';
import { notImplemented } from '../records/api-error';
import type { BranchRecord } from '../records/branch-record';
import { adminConfig } from './admin';
import type { Cluster } from './cluster';
import { runGuarded } from './guarded-process';
import { listDatabases } from './held-roles';
import { makeServerFolder } from './server-user';

/** Reads and copies the schemas of clusters, in turns of theirs. */
export class Schemas {
  readonly #pgDump: string | undefined;
  readonly #temporary: string;

  /** @param pgDump the path of the program, if there is one beside the server's */
  constructor(pgDump: string | undefined, temporary: string) {
    this.#pgDump = pgDump;
    this.#temporary = temporary;
  }

  /** @throws ApiError (501) if pg_dump is missing */
  check(): string {
    if (this.#pgDump !== undefined) return this.#pgDump;
    throw notImplemented('the schemas of branches here: pg_dump is not beside the programs of Postgres');
  }

  /** The statements that create what a database contains, without its data. */
  dump(cluster: Cluster, database: string): Promise<string> {
    return withServer(cluster, () => this.#dump(cluster, database));
  }

  /** Gives a new cluster the databases of a branch, with their schemas in another one. */
  async copy(from: Cluster, to: Cluster, branch: BranchRecord): Promise<void> {
    const dumps = new Map<string, string>();
    await withServer(from, async () => {
      const existing: string[] = [];
      await from.connect('postgres', async (admin) => {
        existing.push(...(await listDatabases(admin)).map(({ name }) => name));
      });
      for (const { name } of branch.databases)
        if (existing.includes(name)) dumps.set(name, await this.#dump(from, name));
    });
    await withServer(to, async () => {
      await to.update(branch);
      for (const [database, dump] of dumps)
        await to.connect(database, async (admin) => void (await admin.query(dump)));
    });
  }

  async #dump(cluster: Cluster, database: string): Promise<string> {
    const folder = makeServerFolder(await mkdtemp(join(this.#temporary, 'dump-')));
    const file = join(folder, 'schema.sql');
    // Each object is created by its owner, so no function of a client runs as the superuser.
    const args = ['--schema-only', '--use-set-session-authorization', `--role=${SUPERUSER}`, '--file', file];
    const { sockets, password } = cluster.adminAccess;
    const { options = '' } = adminConfig(cluster.adminAccess, database);
    const login = { PGHOST: sockets, PGPORT: '5432', PGUSER: SUPERUSER, PGPASSWORD: password };
    const environment = { ...login, PGOPTIONS: options, PGDATABASE: database };
    try {
      await runGuarded(this.check(), args, undefined, environment);
      return withoutCommands(readFileSync(file, 'utf8'));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Newer versions of pg_dump begin and end with a command of psql, which has a random word. */
function withoutCommands(dump: string): string {
  const [, word] = /^\\restrict (\w+)$/m.exec(dump) ?? [];
  return word === undefined ? dump : dump.replaceAll(new RegExp(`^\\\\(un)?restrict ${word}\n`, 'gm'), '');
}

/** Does work while the cluster's server runs, if need be one for that. */
async function withServer<Result>(cluster: Cluster, work: () => Promise<Result>): Promise<Result> {
  const isDown = cluster.server === undefined;
  if (isDown) await cluster.start(cluster.state.limits);
  try {
    return await work();
  } finally {
    if (isDown) await cluster.stop();
  }
}
