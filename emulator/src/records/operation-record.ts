import type { BranchRecord } from './branch-record';
import type { Operation } from './wire-types';

/**
 * What the end of an operation means for the records, beyond the endpoint's state. A name instead of a function, so that
 * the data file can store it and another process can resume the operation.
 */
export type Purpose =
  | 'branch-creation'
  | 'branch-deletion'
  | 'branch-restore'
  | 'connection-drop'
  | 'endpoint-deletion'
  | 'endpoint-restart'
  | 'project-deletion';

/** An operation to run, and its effect on the records. */
export interface Step {
  readonly action: string;
  readonly branchId: string;
  readonly endpointId?: string;
  /** The endpoint's state once the operation has finished. */
  readonly movesTo?: 'active' | 'idle';
  /** The compute is suspended for lack of use, so no connection drops. */
  readonly isAutosuspend?: boolean;
  readonly purpose?: Purpose;
  readonly restore?: {
    /** Where the data comes from. */
    readonly sourceId: string;
    /** The new branch that keeps the previous data. */
    readonly preservedId?: string | undefined;
    /** The roles and databases of the branch, from when it has the data. */
    readonly access: Pick<BranchRecord, 'roles' | 'databases'>;
  };
  /** An operation of another client locks writes until it has ended. */
  readonly locks?: boolean;
}

export interface OperationRecord {
  readonly wire: Operation;
  readonly step: Step;
  readonly createdMicros: number;
  /** When it last began to run; undefined while it waits for other operations. */
  startedMicros?: number | undefined;
  /** The operation of the same request that must finish first. */
  readonly after: OperationRecord | undefined;
  /** `waiting`, then `started`, then `ended`; an operation of another client stays `given` and keeps its status. */
  progress: 'waiting' | 'started' | 'ended' | 'given';
}

const ENDED_STATUSES: readonly string[] = ['finished', 'skipped', 'failed', 'error', 'cancelled'];

export function hasEnded({ progress, wire }: Pick<OperationRecord, 'progress' | 'wire'>): boolean {
  return progress === 'given' ? ENDED_STATUSES.includes(wire.status) : progress === 'ended';
}

/** Whether it blocks writes, and later operations of the same endpoint. */
export function isUnderWay(operation: OperationRecord): boolean {
  return !hasEnded(operation) && (operation.progress !== 'given' || operation.step.locks === true);
}
