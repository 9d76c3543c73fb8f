import type { OperationRecord } from '../records/records';

/** Whether an operation must wait for an older unfinished one of the same request or endpoint. */
export function isBlocked({ project, wire, step, chainId }: OperationRecord): boolean {
  for (const older of project.unfinished) {
    if (older.wire === wire) return false;
    const isOfEndpoint = step.endpointId !== undefined && step.endpointId === older.step.endpointId;
    if (isOfEndpoint || older.chainId === chainId) return true;
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
