import type { Branch, Database, Role } from './wire-types';

export interface BranchRecord {
  readonly wire: Branch;
  /** The branch of which it gets a copy when it is created: of its data, or only of its schema. */
  readonly sourceId?: string | undefined;
  /** With their passwords, oldest first. */
  readonly roles: Role[];
  /** Oldest first. */
  readonly databases: Database[];
}
