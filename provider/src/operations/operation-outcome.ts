import type { Operation } from '../control-api/wire-types';

/** How an operation stands. Only `succeeded` is success: a status that is not known yet is unfinished. */
export type OperationOutcome = 'succeeded' | 'failed' | 'unfinished';

const outcomeOfStatus: ReadonlyMap<string, OperationOutcome> = new Map(
  Object.entries({
    scheduling: 'unfinished',
    running: 'unfinished',
    cancelling: 'unfinished',
    finished: 'succeeded',
    skipped: 'succeeded',
    failed: 'failed',
    error: 'failed',
    cancelled: 'failed',
  } as const),
);

/** The words of the service's console for the same statuses. */
const consoleWordOfStatus: ReadonlyMap<string, string> = new Map(
  Object.entries({
    scheduling: 'Scheduling',
    running: 'In progress',
    finished: 'OK',
    failed: 'Error',
    error: 'Error',
    cancelling: 'Cancelling',
    cancelled: 'Cancelled',
    skipped: 'Skipped',
  }),
);

export function outcomeOf(operation: Pick<Operation, 'status'>): OperationOutcome {
  return outcomeOfStatus.get(operation.status) ?? 'unfinished';
}

export function isUnfinished(operation: Pick<Operation, 'status'>): boolean {
  return outcomeOf(operation) === 'unfinished';
}

export function isFailed(operation: Pick<Operation, 'status'>): boolean {
  return outcomeOf(operation) === 'failed';
}

/** The status as the console shows it; a status that is not known, as the service spells it. */
export function consoleWord(status: string): string {
  return consoleWordOfStatus.get(status) ?? status;
}

/** `start_compute op-1 running`, with the service's own error text where there is one. */
export function describeOperation(operation: Pick<Operation, 'action' | 'id' | 'status' | 'error'>): string {
  const reason = operation.error ? `: ${operation.error}` : '';
  return `${operation.action} ${operation.id} ${operation.status}${reason}`;
}
