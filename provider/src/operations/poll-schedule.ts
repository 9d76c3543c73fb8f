import { clamp, groupBy, min, sortBy, uniqBy } from 'lodash';
import type { Operation } from '../control-api/wire-types';

/** The intervals between polls. All in milliseconds. */
export interface PollPacing {
  /** The shortest interval while no earlier duration is known. The first one is twice as long. */
  readonly shortestMs: number;
  /** The longest interval, as the service suggests. */
  readonly longestMs: number;
}

export const defaultPollPacing: PollPacing = { shortestMs: 240, longestMs: 5_000 };

/** Without earlier durations: the interval as a share of the time waited. So 95 % of the ends are noticed within a tenth of that time. */
const blindShare = 0.095;
/** Around a likely end: the interval as a share of the expected duration. With many operations, each poll finds some that have ended. */
const predictedShare = { usual: 0.04, ofMany: 0.07 };
/** How many awaited operations of one action are many. */
const manyAwaited = 10;
/** Around a likely end, the interval may fall to this share of the shortest one, for very short operations. */
const shortestShare = 0.1;
/** How far the next duration may differ from an earlier one, as a share of it: more if few durations are known. */
const margins = { few: 0.15, many: 0.03, manyFrom: 5 };

/**
 * Predicts when to poll next. Operations of one action take about as long as earlier ones in the same project, and each
 * list of operations shows those durations. So the polls are few until an end is likely, and frequent around it. Without
 * earlier durations, the interval grows with the time waited.
 */
export class PollSchedule {
  readonly #pacing: PollPacing;
  /** How long operations of each action took, from their start. Milliseconds, shortest first. */
  readonly #durations = new Map<string, readonly number[]>();
  /** When each unfinished operation was first seen with no other one before it. By `performance.now()`. */
  readonly #startedAt = new Map<string, number>();

  constructor(pacing: PollPacing) {
    this.#pacing = pacing;
  }

  /** Learns durations from a list of the project's operations. */
  learn(operations: readonly Operation[]): void {
    for (const [action, durations] of Object.entries(durationsByAction(operations)))
      this.#durations.set(action, sortBy(durations));
    for (const { id, status } of operations) if (status === 'finished') this.#startedAt.delete(id);
  }

  /** The time until the next poll of these unfinished operations, in milliseconds. Each list is what one call waits for. */
  intervalMs(...lists: readonly (readonly Operation[])[]): number {
    const awaitedNext = lists.map((operations) => {
      // An operation scheduled behind a running one can't finish before it.
      const begun = operations.filter(({ status }) => status !== 'scheduling');
      return begun.length > 0 ? begun : operations;
    });
    const byAction = groupBy(uniqBy(awaitedNext.flat(), 'id'), 'action');
    const intervals = Object.entries(byAction).map(([action, awaited]) =>
      this.#intervalOf(
        this.#durations.get(action) ?? [],
        awaited.map(({ id }) => this.#elapsedMs(id)),
      ),
    );
    return min(intervals) ?? this.#pacing.shortestMs;
  }

  /** For operations of one action: how long earlier ones took, and how long each of these has been running. */
  #intervalOf(durations: readonly number[], elapsed: readonly number[]): number {
    const { shortestMs, longestMs } = this.#pacing;
    const margin = durations.length < margins.manyFrom ? margins.few : margins.many;
    // Without earlier durations, the oldest of many decides: those begun later are not likely to end before it.
    const areMany = elapsed.length >= manyAwaited;
    const oldestMs = Math.max(...elapsed);
    const intervals = elapsed.map((elapsedMs) => {
      // The shortest earlier duration that this operation has not exceeded yet.
      const likelyMs = durations.find((durationMs) => durationMs * (1 + margin) >= elapsedMs);
      if (likelyMs === undefined) {
        const waitedMs = areMany ? oldestMs : elapsedMs;
        return clamp(Math.max(2 * shortestMs - waitedMs, waitedMs * blindShare), shortestMs, longestMs);
      }
      const closeMs = likelyMs * (areMany ? predictedShare.ofMany : predictedShare.usual);
      const stepMs = clamp(closeMs, shortestMs * shortestShare, longestMs);
      // The first poll comes one interval after the earliest likely end: an earlier one would rarely find it.
      return clamp(likelyMs * (1 - margin) + stepMs - elapsedMs, stepMs, longestMs);
    });
    return min(intervals) ?? shortestMs;
  }

  #elapsedMs(id: string): number {
    const now = performance.now();
    const startedAt = this.#startedAt.get(id) ?? now;
    this.#startedAt.set(id, startedAt);
    return now - startedAt;
  }
}

/** How long the finished operations took, counted from the end of the previous one of the same endpoint. */
function durationsByAction(operations: readonly Operation[]): Record<string, number[]> {
  const finished = operations.filter(({ status }) => status === 'finished');
  const durations: Record<string, number[]> = {};
  for (const ofEndpoint of Object.values(groupBy(finished, 'endpoint_id'))) {
    const byEnd = ofEndpoint
      .map(({ action, created_at, updated_at }) => ({
        action,
        createdAt: Date.parse(created_at),
        endedAt: Date.parse(updated_at),
      }))
      .sort((left, right) => left.endedAt - right.endedAt);
    for (const [index, { action, createdAt, endedAt }] of byEnd.entries()) {
      const startedAt = Math.max(createdAt, byEnd[index - 1]?.endedAt ?? 0);
      durations[action] = [...(durations[action] ?? []), endedAt - startedAt];
    }
  }
  return durations;
}
