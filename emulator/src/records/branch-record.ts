import type { Branch, Database, Role } from './wire-types';

export interface BranchRecord {
  readonly wire: Branch;
  /** With their passwords, oldest first. */
  readonly roles: Role[];
  /** Oldest first. */
  readonly databases: Database[];
}
