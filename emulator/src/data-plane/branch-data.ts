import { randomBytes } from 'node:crypto';
import { accessSync, existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { BranchRecord, EndpointRecord } from '../records/records';
import { reasonOf } from '../records/thrown-reason';
import { BranchCopies } from './branch-copies';
import { Cluster, type ClusterSetup } from './cluster';
import type { SharedLimits } from './cluster-state';
import { copyFolder, REMOVED } from './copy-folder';
import type { PostgresBinaries } from './find-postgres';
import { waitAtMost } from './guarded-process';
import { type PgSettings, SettingRules } from './pg-settings';
import type { ServerStart } from './postgres-server';
import { Schemas } from './schemas';
import { checkOwned, checkReachable, makeServerFolder, writeServerFile } from './server-files';
import { createTemplate, listSettings } from './template';

export interface Folders {
  /** The clusters of the branches, and what they start from. */
  readonly data: string;
  /** What the emulator removes when it ends: sockets and standbys. */
  readonly temporary: string;
}

/** Longer than any server with sensible settings takes, also on a busy machine. */
const LONGEST_TRIAL_MS = 10_000;
/** What is under way may end first when the emulator does. */
const LONGEST_TURN_MS = 5_000;

/** The clusters of the branches. Each is created when it is first needed: a branch that no client uses has none. */
export class BranchData {
  readonly settingRules: SettingRules;
  readonly schemas = { check: () => this.#schemas.check(), read: this.#readSchema.bind(this) };
  readonly copies: BranchCopies;
  readonly setup: ClusterSetup;
  readonly #schemas: Schemas;
  readonly #folders: Folders;
  readonly #clusters = new Map<string, Cluster>();
  readonly #branchIds: Set<string>;

  private constructor(
    folders: Folders,
    setup: ClusterSetup,
    settingRules: SettingRules,
    schemas: Schemas,
    branchIds: ReadonlySet<string>,
  ) {
    this.#folders = folders;
    this.#branchIds = new Set(branchIds);
    this.#schemas = schemas;
    this.copies = new BranchCopies(this, schemas, setup.saved);
    this.setup = setup;
    this.settingRules = settingRules;
  }

  /**
   * Creates an empty cluster as the template of all others, unless an earlier emulator left one.
   * @param branchIds the branches that exist; the folders of others are removed
   * @throws Error when the folder cannot be used, or another version of Postgres wrote it
   */
  static async open(
    binaries: PostgresBinaries,
    folders: Folders,
    branchIds: ReadonlySet<string>,
    saved: () => Promise<void>,
  ): Promise<BranchData> {
    const { data } = folders;
    const { postgres, version } = binaries;
    checkOwned(data);
    makeServerFolder(data);
    checkReachable(data);
    await removeLeftovers(data, branchIds);
    const template = join(data, 'template');
    const passwordFile = join(data, 'superuser-password');
    if (!existsSync(template)) {
      writeServerFile(passwordFile, randomBytes(24).toString('hex'));
      await createTemplate(binaries, template, passwordFile);
    }
    const written = readFileSync(join(template, 'PG_VERSION'), 'utf8').trim();
    if (written !== String(version)) {
      throw new Error(
        `${data} was written by Postgres ${written}, but ${postgres} is version ${version}: use Postgres ${written}, or move the folder away to start with empty databases`,
      );
    }
    const listFile = join(data, 'settings.json');
    if (!existsSync(listFile)) writeServerFile(listFile, JSON.stringify(listSettings(binaries, template)));
    const listed = JSON.parse(readFileSync(listFile, 'utf8'));
    const setup = { program: postgres, password: readFileSync(passwordFile, 'utf8'), version, saved };
    const schemas = new Schemas(binaries.pgDump, folders.temporary);
    return new BranchData(folders, setup, new SettingRules(listed, postgres, template), schemas, branchIds);
  }

  get #template(): string {
    return join(this.#folders.data, 'template');
  }

  of(branchId: string): Cluster {
    return this.#clusterAt(branchId, join(this.#folders.data, branchId));
  }

  standbyOf(endpointId: string): Cluster {
    return this.#clusterAt(endpointId, join(this.#folders.temporary, `${endpointId}.data`));
  }

  clusterOf({ wire: { id, type, branch_id } }: EndpointRecord): Cluster {
    return type === 'read_write' ? this.of(branch_id) : this.standbyOf(id);
  }

  /** Starts a server with these limits, settings and flags on a copy of the template, and stops it. @throws Error if it does not start */
  async tryStart(limits: SharedLimits, settings: PgSettings, flags: ServerStart['flags']): Promise<void> {
    const folder = makeServerFolder(await mkdtemp(join(this.#folders.temporary, 'try-')));
    const trial = new Cluster(this.setup, join(folder, 'data'), folder);
    try {
      await copyFolder(this.#template, trial.folder);
      this.settingRules.write(trial.folder, settings);
      await trial.start(limits, { longestMs: LONGEST_TRIAL_MS, flags }).catch((error) => {
        throw new Error(`no server starts with these settings: ${reasonOf(error)}`);
      });
    } finally {
      await trial.stop();
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Creates the data of a branch that has none, in a turn of its cluster. @throws Error if its copy failed */
  async prepare(cluster: Cluster): Promise<void> {
    if (cluster.exists) return;
    this.checkComplete(cluster);
    const unfinished = `${cluster.folder}.new`;
    await copyFolder(this.#template, unfinished);
    renameSync(unfinished, cluster.folder);
  }

  /** For a branch that has no data. @throws Error if its copy failed */
  checkComplete({ folder, copying }: Cluster): void {
    // Where no folder can be reached, a branch only seems to have no data.
    accessSync(this.#template);
    const branchId = basename(folder);
    if (existsSync(copying) || this.copies.lacksData(branchId))
      throw new Error(
        `the copy of its parent's data was not completed: delete branch ${branchId} and create it again`,
      );
  }

  async #readSchema(branch: BranchRecord, database: string): Promise<string> {
    this.#schemas.check();
    const cluster = this.of(branch.wire.id);
    return cluster.inTurn(async () => {
      await this.prepare(cluster);
      if (cluster.server === undefined) await cluster.update(branch);
      return this.#schemas.dump(cluster, database);
    });
  }

  /** Stops every server. Copies of schemas end, others are awaited. */
  async stop(): Promise<void> {
    const clusters = [...this.#clusters.values()];
    for (const { leaving } of clusters) leaving.abort(new Error('the emulator is stopping'));
    await Promise.allSettled(clusters.map(stopSoon));
  }

  /** Begins to copy the data for a new branch, and removes that of a deleted one. */
  noteBranch(branch: BranchRecord): void {
    const { id } = branch.wire;
    const { branches } = branch.project;
    const source = branches.get(branch.sourceId ?? '');
    const isNew = !this.#branchIds.has(id);
    this.#branchIds.add(id);
    if (!branches.has(id)) this.forget(id);
    else if (isNew && source !== undefined) this.copies.fork(source, branch);
    // Only a project's first branch begins without data.
    else if (isNew && branches.size > 1) this.copies.expect(id);
  }

  /** Removes a cluster. If the records cannot be saved, the next start does it, or still has the branch. */
  forget(id: string): void {
    const cluster = this.of(id);
    this.#clusters.delete(id);
    this.copies.forget(id);
    cluster.leaving.abort(new Error(`${id} was deleted`));
    cluster
      .inTurn(async () => {
        await cluster.stop();
        await this.setup.saved();
        await cluster.remove();
      })
      .catch(() => undefined);
  }

  #clusterAt(id: string, folder: string): Cluster {
    const known = this.#clusters.get(id);
    const cluster = known ?? new Cluster(this.setup, folder, join(this.#folders.temporary, id));
    this.#clusters.set(id, cluster);
    return cluster;
  }
}

/** What a killed emulator could not finish, and clusters that it could not remove. */
async function removeLeftovers(data: string, branchIds: ReadonlySet<string>): Promise<void> {
  for (const name of readdirSync(data)) {
    const [id = ''] = name.split('.');
    const isOfNoBranch = id.startsWith('br-') && !branchIds.has(id);
    if (isOfNoBranch || name.endsWith('.new') || name.endsWith(REMOVED))
      await rm(join(data, name), { recursive: true, force: true });
  }
}

/** What is under way and takes long fails when the server ends: a client may hold it up. */
async function stopSoon(cluster: Cluster): Promise<void> {
  const stopped = cluster.inTurn(() => cluster.stop());
  await waitAtMost(LONGEST_TURN_MS, stopped);
  await cluster.server?.stop();
  await stopped;
}
