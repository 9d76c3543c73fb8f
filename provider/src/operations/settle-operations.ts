import type { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { isUnfinished, outcomeOf } from './operation-outcome';
import type { OperationPoller, OperationsView } from './operation-poller';

/** Waiting ends in exactly one of these. */
export interface Settlement {
  readonly outcome: 'succeeded' | 'failed' | 'timed out';
  /** Every operation that was waited for, as last seen. */
  readonly operations: readonly Operation[];
}

export interface SettleRequest {
  readonly endpointId: string;
  /** The operations that the service named; the same one may be named twice. */
  readonly operations: readonly Operation[];
  readonly deadline: Deadline;
  /** Called with the operations as they now stand, after each look. */
  readonly onProgress?: ((operations: readonly Operation[]) => void) | undefined;
}

/** The control plane's own periodic check is nobody's change, so nobody waits for it. */
const unrelatedActions: ReadonlySet<string> = new Set(['check_availability']);

/**
 * Waits until each of the operations has ended, and each that the service started for the endpoint after them:
 * a change may be carried out by operations that its answer did not name yet.
 */
export async function settleOperations(poller: OperationPoller, request: SettleRequest): Promise<Settlement> {
  const latest = new Map(request.operations.map((operation) => [operation.id, operation]));
  const current = () => [...latest.values()];
  if (!current().some(isUnfinished)) return conclude(current());
  request.onProgress?.(current());
  const since = Math.min(...current().map(({ created_at }) => Date.parse(created_at)));
  return poller.watch<Settlement>({
    deadline: request.deadline,
    operations: () => current().filter(isUnfinished),
    judge: (view) => {
      refresh(latest, view);
      for (const operation of view.newest) {
        if (isFollowUp(operation, request.endpointId, since)) latest.set(operation.id, operation);
      }
      request.onProgress?.(current());
      return current().some(isUnfinished) ? undefined : conclude(current());
    },
    expire: () => conclude(current()),
  });
}

function refresh(latest: Map<string, Operation>, view: OperationsView): void {
  for (const operation of latest.values()) {
    const seen = view.find(operation.id);
    if (seen) latest.set(seen.id, seen);
    // The service forgets old operations; what it has forgotten is not running.
    else if (isUnfinished(operation)) latest.delete(operation.id);
  }
}

function isFollowUp(operation: Operation, endpointId: string, since: number): boolean {
  const isRelated = operation.endpoint_id === endpointId && !unrelatedActions.has(operation.action);
  return isRelated && Date.parse(operation.created_at) >= since;
}

/** How the waiting for these operations has ended. */
export function conclude(operations: readonly Operation[]): Settlement {
  const outcomes = operations.map(outcomeOf);
  if (outcomes.includes('failed')) return { outcome: 'failed', operations };
  return { outcome: outcomes.includes('unfinished') ? 'timed out' : 'succeeded', operations };
}
