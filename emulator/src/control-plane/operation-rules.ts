import type { OperationRecord, ProjectRecord } from '../records/records';

/**
 * Whether an operation must wait: for the one before it in its request, or for an older unfinished operation of the same
 * endpoint.
 */
export function isBlocked(project: ProjectRecord, operation: OperationRecord): boolean {
  if (operation.after !== undefined && operation.after.progress !== 'ended') return true;
  const { endpointId } = operation.step;
  if (endpointId === undefined) return false;
  for (const other of project.unfinished) {
    if (other === operation) return false;
    if (other.step.endpointId === endpointId) return true;
  }
  return false;
}

/** Whether an operation runs after another one of the same request. */
export function follows(operation: OperationRecord, earlier: OperationRecord): boolean {
  for (let before = operation.after; before !== undefined; before = before.after) {
    if (before === earlier) return true;
  }
  return false;
}

/** What an operation shows of how it ended. */
export interface OperationResult {
  readonly status: string;
  readonly error?: string | undefined;
}

export const ENDED_STATUSES: readonly string[] = ['finished', 'skipped', 'failed', 'error', 'cancelled'];
export const FINISHED: OperationResult = { status: 'finished' };
