import type { Deadline } from '../control-api/deadline';
import { defaultReadLagMs } from '../control-api/read-lag';
import type { Operation } from '../control-api/wire-types';
import { isUnfinished, outcomeOf } from './operation-outcome';
import type { OperationPoller, OperationsView } from './operation-poller';

export interface WaitResult {
  readonly outcome: 'succeeded' | 'failed' | 'timed out' | 'interrupted';
  /** Every operation that the call waited for, as last seen. */
  readonly operations: readonly Operation[];
  /** Whether an unfinished operation disappeared from the service. Only the endpoint then shows the outcome. */
  readonly hasVanished?: boolean;
  /** Why the last poll before the deadline failed. */
  readonly pollFailure?: string | undefined;
}

export interface AwaitRequest {
  /** Also waits for the operations that the service starts for this endpoint later. @default only `operations` */
  readonly endpointId?: string;
  /** The operations that the service named; it may name one twice. */
  readonly operations: readonly Operation[];
  readonly deadline: Deadline;
  /** How long a missing operation counts as not visible yet. Milliseconds. @default 10000 */
  readonly readLagMs?: number | undefined;
  /** Whether to wait for a later suspension of the endpoint too, even one due to inactivity. @default false */
  readonly followsSuspension?: boolean;
  /** Whether an operation that disappears fails the wait instead of setting `hasVanished`. @default false */
  readonly rejectsVanished?: boolean;
  /** Called with the latest operations after each poll. */
  readonly onProgress?: ((operations: readonly Operation[]) => void) | undefined;
}

/**
 * Waits until all operations have finished or failed, including later ones of the endpoint: the response to a change
 * need not name every operation that carries it out.
 */
export async function awaitOperations(poller: OperationPoller, request: AwaitRequest): Promise<WaitResult> {
  const latest = new LatestOperations(request);
  if (!latest.isUnfinished) return latest.conclude();
  request.onProgress?.(latest.all);
  return poller.watch<WaitResult>({
    deadline: request.deadline,
    operations: () => latest.all.filter(isUnfinished),
    judge: (view) => {
      latest.update(view);
      request.onProgress?.(latest.all);
      return latest.isUnfinished ? undefined : latest.conclude();
    },
    expire: (pollFailure) => ({ ...latest.conclude(), pollFailure }),
  });
}

/** Added to a message about a wait whose last poll failed: the operations are then as an earlier poll showed them. */
export function describePollFailure(failure: string | undefined): string {
  return failure === undefined ? '' : ` (the last poll failed: ${failure})`;
}

/** The last known version of each operation that a call waits for. */
class LatestOperations {
  readonly #request: AwaitRequest;
  readonly #operations: Map<string, Operation>;
  readonly #missingSince = new Map<string, number>();
  #hasVanished = false;

  constructor(request: AwaitRequest) {
    this.#request = request;
    this.#operations = new Map(request.operations.map((operation) => [operation.id, operation]));
  }

  get all(): Operation[] {
    return [...this.#operations.values()];
  }

  get isUnfinished(): boolean {
    return this.all.some(isUnfinished);
  }

  /** When the first of them was created, by the clock of the service; infinity if no timestamp is readable. */
  get #since(): number {
    return Math.min(...this.all.map(({ created_at }) => Date.parse(created_at) || Number.POSITIVE_INFINITY));
  }

  update(view: OperationsView): void {
    for (const operation of this.all) {
      // A lagging list may still show a finished operation as running.
      if (!isUnfinished(operation)) continue;
      const seen = view.find(operation.id);
      if (seen) this.#record(seen);
      else this.#recordMissing(operation, view.sentAfter);
    }
    for (const operation of view.newest) if (this.#isFollowUp(operation)) this.#record(operation);
  }

  conclude(): WaitResult {
    const operations = this.all;
    const hasVanished = this.#hasVanished;
    if (operations.map(outcomeOf).includes('failed')) return { outcome: 'failed', operations, hasVanished };
    if (!this.isUnfinished) return { outcome: 'succeeded', operations, hasVanished };
    const { isInterrupted } = this.#request.deadline;
    return { outcome: isInterrupted ? 'interrupted' : 'timed out', operations, hasVanished };
  }

  #record(operation: Operation): void {
    this.#operations.set(operation.id, operation);
    this.#missingSince.delete(operation.id);
  }

  /** A response may take long: what counts is when the poll was sent. */
  #recordMissing({ id, action }: Operation, sentAfter: number): void {
    const { readLagMs = defaultReadLagMs, rejectsVanished = false } = this.#request;
    const since = this.#missingSince.get(id) ?? performance.now();
    this.#missingSince.set(id, since);
    if (sentAfter - since < readLagMs) return;
    if (rejectsVanished)
      throw new Error(`The service no longer has operation ${id} (${action}), so its outcome is unknown.`);
    this.#operations.delete(id);
    this.#hasVanished = true;
  }

  #isFollowUp({ id, endpoint_id, action, created_at }: Operation): boolean {
    const { endpointId, followsSuspension = false } = this.#request;
    if (endpointId === undefined || endpoint_id !== endpointId || this.#operations.has(id)) return false;
    // The service checks endpoints and suspends idle ones on its own. Neither belongs to a change unless the response
    // to that change named it.
    if (action === 'check_availability') return false;
    if (action === 'suspend_compute' && !followsSuspension) return false;
    return Date.parse(created_at) >= this.#since;
  }
}
