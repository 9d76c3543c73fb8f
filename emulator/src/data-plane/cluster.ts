import { existsSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import type { BranchRecord } from '../records/records';
import { type Connect, endSessions } from './access-changes';
import { type AdminAccess, asAdmin } from './admin';
import { type Access, applyAccess, isApplied } from './apply-access';
import {
  type ClusterState,
  DEFAULT_LIMITS,
  NEW_STATE,
  readState,
  type SharedLimits,
  writeState,
} from './cluster-state';
import { copyFolder, discard } from './copy-folder';
import { PostgresServer, type ServerStart } from './postgres-server';
import { writeServerFile } from './server-files';
import { holdPasswords, type StoredPassword } from './stored-passwords';

export interface ClusterSetup {
  readonly program: string;
  /** The superuser's password, which no client knows. */
  readonly password: string;
  readonly version: number;
  /** Resolves when all changes of the records are on the disk. Nothing that they delete is destroyed before. */
  readonly saved: () => Promise<void>;
}

/** The emulator's own sessions are of another type. */
const IS_CLIENT = "backend_type = 'client backend'";

/** To one that hangs, or on which a client has locked the roles; it stops anyway. */
const LAST_CONNECT_TIMEOUT_MS = 1000;

/** Belong to a server, not to its data. */
const OF_SERVER = {
  entries: ['postmaster.pid', 'postmaster.opts'],
  contents: ['pg_replslot', 'pg_stat_tmp', 'pg_notify', 'pg_dynshmem', 'pg_snapshots', 'pg_serial'],
};
const OF_SERVER_OR_LOG = { ...OF_SERVER, contents: [...OF_SERVER.contents, 'pg_wal'] };

/** Of every server. The data outlives a crash of the server, not one of the machine. */
const FLAGS = {
  shared_buffers: '128MB',
  superuser_reserved_connections: '3',
  fsync: 'off',
  // A standby that connects again can be that far behind.
  wal_keep_size: '128MB',
  wal_receiver_create_temp_slot: 'on',
  // A standby needs one, and a copy under way, with everything that is written in the meantime.
  max_replication_slots: '60',
  max_slot_wal_keep_size: '-1',
  // One that does not log in takes a place among max_connections.
  authentication_timeout: '15s',
  // Of standbys, and of the emulator's own connections.
  max_wal_senders: '50',
};

/** A folder of data with at most one server on it. `inTurn` runs one task at a time; the other methods must run in a turn. */
export class Cluster {
  readonly folder: string;
  /** The folder of its server's socket, short because the path of a socket is limited to about 100 bytes. */
  readonly sockets: string;
  /** Aborted with the reason when the cluster is about to go: what would hold up its turn for long ends. */
  readonly leaving = new AbortController();
  /** The endpoint that the server runs for. */
  endpointId: string | undefined;
  readonly #setup: ClusterSetup;
  #server: PostgresServer | undefined;
  /** What the file has: reading it for each login would take long, because clients can create many roles. */
  #state: ClusterState | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(setup: ClusterSetup, folder: string, sockets: string) {
    this.#setup = setup;
    this.folder = folder;
    this.sockets = sockets;
  }

  inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(task);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  get exists(): boolean {
    return existsSync(this.folder);
  }

  get server(): PostgresServer | undefined {
    return this.#server?.hasExited ? undefined : this.#server;
  }

  async start(
    limits: SharedLimits,
    { flags, ...start }: Partial<Pick<ServerStart, 'flags' | 'longestMs'>> = {},
  ): Promise<void> {
    this.note({ passwords: undefined });
    this.#server = await PostgresServer.start({
      program: this.#setup.program,
      data: this.folder,
      sockets: this.sockets,
      flags: { ...FLAGS, ...limits, ...flags },
      signal: this.leaving.signal,
      ...start,
    });
    this.note({ limits });
  }

  /** Does work while its server runs, if need be one without the settings of an endpoint, which may keep it from starting, and its limits. */
  async whileRunning<Result>(work: () => Promise<Result>): Promise<Result> {
    const isDown = this.server === undefined;
    if (isDown) {
      writeServerFile(join(this.folder, 'postgresql.auto.conf'), '');
      await this.start(DEFAULT_LIMITS);
    }
    try {
      return await work();
    } finally {
      if (isDown) await this.stop();
    }
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.endpointId = undefined;
    if (server === undefined || server.hasExited) return server?.stop();
    let passwords: StoredPassword[] | undefined;
    const read = async (admin: Client): Promise<void> => {
      passwords = await holdPasswords(admin);
      await server.stop();
    };
    // Without them, the next client waits a little longer.
    await asAdmin(this.adminAccess, 'postgres', read, LAST_CONNECT_TIMEOUT_MS).catch(() => undefined);
    await server.stop();
    this.note({ passwords });
  }

  /** Removes the data. On some disks that takes seconds, so nothing waits for the files. */
  async remove(): Promise<void> {
    await this.stop();
    this.#state = undefined;
    for (const folder of [this.folder, this.copying].filter(existsSync)) discard(folder);
  }

  /** Replaces the data by the copy that is beside it. Another cluster, which has no data, may keep the previous data. */
  async replace(kept: Cluster | undefined): Promise<void> {
    await this.stop();
    this.#state = undefined;
    if (this.exists && kept?.exists === false) renameSync(this.folder, kept.folder);
    else if (this.exists) discard(this.folder);
    renameSync(this.copying, this.folder);
  }

  note(change: Partial<ClusterState>): void {
    const state = { ...this.state, ...change };
    writeState(this.folder, state);
    this.#state = state;
  }

  /** Whether its roles and databases are those of the branch. During a restore, they are about to change with the data. */
  isUpToDate(branch: BranchRecord): boolean {
    return branch.wire.current_state === 'resetting' || isApplied(this.state.access, branch);
  }

  /** Makes its roles and databases those of the branch, if need be with a server for that. @throws Error with the reason of what fails */
  async update(branch: BranchRecord): Promise<void> {
    if (this.isUpToDate(branch)) return;
    await this.#setup.saved();
    // The record may change during the update.
    const { roles, databases } = structuredClone({ roles: branch.roles, databases: branch.databases });
    const note = (access: Access): void => this.note({ access });
    await this.whileRunning(() =>
      applyAccess(this.connect, this.state.access, { roles, databases }, this.#setup.password, note),
    );
  }

  readonly connect: Connect = (database, work) => asAdmin(this.adminAccess, database, work);

  get adminAccess(): AdminAccess {
    return { sockets: this.sockets, ...this.#setup };
  }

  get state(): ClusterState {
    if (!this.exists) return NEW_STATE;
    this.#state ??= readState(this.folder);
    return this.#state;
  }

  /** Where the copy of the parent's data is until it is complete. */
  get copying(): string {
    return `${this.folder}.copying`;
  }

  /** Copies the data to another cluster, which has none: plainly, or as a backup while the server runs. */
  async copyTo(target: Cluster, access: Access = this.state.access): Promise<void> {
    await this.copyBeside(target, access);
    renameSync(target.copying, target.folder);
  }

  /** Copies the data to where another cluster keeps a copy that is not complete. */
  async copyBeside(target: Cluster, access: Access, copiedAt?: string): Promise<void> {
    const { folder } = this;
    const { copying } = target;
    await rm(copying, { recursive: true, force: true });
    let { passwords } = this.state;
    if (this.server === undefined) await copyFolder(folder, copying, OF_SERVER);
    else
      await this.connect('postgres', async (admin) => {
        // Until the session ends, the server removes nothing of its log.
        await admin.query("SELECT pg_create_physical_replication_slot('emulator', true, true)");
        await admin.query("SELECT pg_backup_start('emulator', true)");
        await copyFolder(folder, copying, OF_SERVER_OR_LOG);
        // The copy has all that is in the log when that is copied, so none may change until then.
        passwords = await holdPasswords(admin).catch(() => undefined);
        if (passwords === undefined) await admin.query('ROLLBACK');
        const { rows } = await admin.query('SELECT labelfile FROM pg_backup_stop(false)');
        writeServerFile(join(copying, 'backup_label'), rows[0].labelfile);
        await copyFolder(join(folder, 'pg_wal'), join(copying, 'pg_wal'));
        await admin.query('COMMIT');
      });
    writeState(copying, { access, limits: this.state.limits, passwords, copiedAt });
  }

  /** Cuts every client off; a client that connects later can stay. */
  dropConnections(): Promise<unknown> {
    return this.connect('postgres', (admin) => endSessions(admin, IS_CLIENT, 0));
  }

  /** Whether a client runs a query or has a transaction open. Also true if the server is too busy to say so. */
  async isQuerying(): Promise<boolean> {
    if (this.server === undefined) return false;
    const query = `SELECT FROM pg_stat_activity WHERE ${IS_CLIENT} AND state NOT IN ('idle', 'disabled')`;
    return this.connect('postgres', (admin) => admin.query(query)).then(
      ({ rowCount }) => rowCount !== 0,
      () => this.server !== undefined,
    );
  }
}
