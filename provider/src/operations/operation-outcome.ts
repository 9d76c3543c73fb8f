import type { Operation } from '../control-api/wire-types';

/** The outcome of an operation. An unknown status counts as `unfinished`. */
export type OperationOutcome = 'succeeded' | 'failed' | 'unfinished';

interface StatusMeaning {
  readonly outcome: OperationOutcome;
  /** What the service's console shows for the status. */
  readonly label: string;
}

const meaningOfStatus: ReadonlyMap<string, StatusMeaning> = new Map<string, StatusMeaning>([
  ['scheduling', { outcome: 'unfinished', label: 'Scheduling' }],
  ['running', { outcome: 'unfinished', label: 'In progress' }],
  ['cancelling', { outcome: 'unfinished', label: 'Cancelling' }],
  ['finished', { outcome: 'succeeded', label: 'OK' }],
  ['skipped', { outcome: 'succeeded', label: 'Skipped' }],
  ['failed', { outcome: 'failed', label: 'Error' }],
  ['error', { outcome: 'failed', label: 'Error' }],
  ['cancelled', { outcome: 'failed', label: 'Cancelled' }],
]);

type WithStatus = Pick<Operation, 'status'>;

export function outcomeOf({ status }: WithStatus): OperationOutcome {
  return meaningOfStatus.get(status)?.outcome ?? 'unfinished';
}

export function isUnfinished(operation: WithStatus): boolean {
  return outcomeOf(operation) === 'unfinished';
}

export function isFailed(operation: WithStatus): boolean {
  return outcomeOf(operation) === 'failed';
}

/** The console's label for a status; an unknown status is its own label. */
export function statusLabel(status: string): string {
  return meaningOfStatus.get(status)?.label ?? status;
}

export const knownStatuses: readonly string[] = [...meaningOfStatus.keys()];

/** `start_compute op-1 running`, followed by the service's error text if the operation has one. */
export function describeOperation(operation: Pick<Operation, 'action' | 'id' | 'status' | 'error'>): string {
  const reason = operation.error ? `: ${operation.error}` : '';
  return `${operation.action} ${operation.id} ${operation.status}${reason}`;
}
