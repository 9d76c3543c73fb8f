import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Access, NO_ACCESS } from './apply-access';
import { writeServerFile } from './server-files';
import type { StoredPassword } from './stored-passwords';

/** Postgres's defaults of the settings of which a standby cannot have lower ones than the last server of its data. */
export const DEFAULT_LIMITS = {
  max_connections: '100',
  max_locks_per_transaction: '64',
  max_worker_processes: '8',
};
export type SharedLimits = Readonly<typeof DEFAULT_LIMITS>;

/** What the emulator keeps in a cluster's folder, so that copies have it, too. */
export interface ClusterState {
  readonly access: Access;
  readonly limits: SharedLimits;
  /** Known once the server has stopped; undefined if it crashed. */
  readonly passwords?: readonly StoredPassword[] | undefined;
  /** When the copy was asked for that the data comes from: it is complete, and must not be made again. */
  readonly copiedAt?: string | undefined;
}

const STATE_FILE = 'emulator.json';
export const NEW_STATE: ClusterState = { access: NO_ACCESS, limits: DEFAULT_LIMITS };

export function readState(folder: string): ClusterState {
  const file = join(folder, STATE_FILE);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : NEW_STATE;
}

export function writeState(folder: string, state: ClusterState): void {
  writeServerFile(join(folder, STATE_FILE), JSON.stringify(state));
}

/** Whether a client can log in. */
export function hasRoles({ access }: ClusterState): boolean {
  return Object.keys(access.roles).length > 0;
}
