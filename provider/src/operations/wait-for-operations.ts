import type { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { isUnfinished, outcomeOf } from './operation-outcome';
import type { OperationPoller, OperationsView } from './operation-poller';

/** Waiting ends in exactly one of these. */
export interface WaitResult {
  readonly outcome: 'succeeded' | 'failed' | 'timed out';
  /** Every operation that was waited for, as last seen. */
  readonly operations: readonly Operation[];
  /** Whether the service stopped showing one of them before it was seen to end: the endpoint itself must tell. */
  readonly hasVanished?: boolean;
}

export interface AwaitRequest {
  readonly endpointId: string;
  /** The operations that the service named; the same one may be named twice. */
  readonly operations: readonly Operation[];
  readonly deadline: Deadline;
  /** For how long an operation that the service does not show counts as not visible yet. Milliseconds. */
  readonly readLagMs?: number | undefined;
  /** Whether a suspension that the service starts later is waited for too; it may be due to inactivity. @default false */
  readonly followsSuspension?: boolean;
  /** Called with the operations as they now stand, after each poll. */
  readonly onProgress?: ((operations: readonly Operation[]) => void) | undefined;
}

/** Reads lag behind writes by seconds; what is missing for longer than this is forgotten. Milliseconds. */
export const defaultReadLagMs = 10_000;

/**
 * Waits until each of the operations has ended, and each that the service started for the endpoint after them:
 * a change may be carried out by operations that its response did not name yet.
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
    expire: () => latest.conclude(),
  });
}

/** The newest knowledge of the operations that are waited for. */
class LatestOperations {
  readonly #endpointId: string;
  readonly #readLagMs: number;
  readonly #followsSuspension: boolean;
  readonly #operations: Map<string, Operation>;
  readonly #missingSince = new Map<string, number>();
  #hasVanished = false;

  constructor(request: AwaitRequest) {
    const { endpointId, operations, readLagMs = defaultReadLagMs, followsSuspension = false } = request;
    this.#endpointId = endpointId;
    this.#readLagMs = readLagMs;
    this.#followsSuspension = followsSuspension;
    this.#operations = new Map(operations.map((operation) => [operation.id, operation]));
  }

  get all(): Operation[] {
    return [...this.#operations.values()];
  }

  get isUnfinished(): boolean {
    return this.all.some(isUnfinished);
  }

  /** When the first of them began, by the clock of the service, as far as that is known. */
  get #since(): number {
    return Math.min(...this.all.map(({ created_at }) => Date.parse(created_at) || Number.POSITIVE_INFINITY));
  }

  update(view: OperationsView): void {
    for (const operation of this.all) {
      // A list that lags behind may show it as it was before it ended.
      if (!isUnfinished(operation)) continue;
      const seen = view.find(operation.id);
      if (seen) this.#note(seen);
      else this.#noteMissing(operation.id);
    }
    for (const operation of view.newest) if (this.#isFollowUp(operation)) this.#note(operation);
  }

  conclude(): WaitResult {
    return { ...conclude(this.all), hasVanished: this.#hasVanished };
  }

  #note(operation: Operation): void {
    this.#operations.set(operation.id, operation);
    this.#missingSince.delete(operation.id);
  }

  #noteMissing(id: string): void {
    const since = this.#missingSince.get(id) ?? Date.now();
    this.#missingSince.set(id, since);
    if (Date.now() - since < this.#readLagMs) return;
    this.#operations.delete(id);
    this.#hasVanished = true;
  }

  #isFollowUp({ id, endpoint_id, action, created_at }: Operation): boolean {
    if (this.#operations.has(id) || endpoint_id !== this.#endpointId) return false;
    // The service checks endpoints, and suspends idle ones, by itself: neither belongs to a change unless the response
    // to that change named it.
    if (action === 'check_availability') return false;
    if (action === 'suspend_compute' && !this.#followsSuspension) return false;
    return Date.parse(created_at) >= this.#since;
  }
}

/** How the waiting for these operations has ended. */
export function conclude(operations: readonly Operation[]): WaitResult {
  const outcomes = operations.map(outcomeOf);
  if (outcomes.includes('failed')) return { outcome: 'failed', operations };
  return { outcome: outcomes.includes('unfinished') ? 'timed out' : 'succeeded', operations };
}
