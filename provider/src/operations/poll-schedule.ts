import { clamp, groupBy, min, sortBy } from 'lodash';
import type { Operation } from '../control-api/wire-types';

/** How often the operations of a project are looked at. All in milliseconds. */
export interface PollPacing {
  /** The first look, and the shortest interval, while nothing is known of how long such operations take. */
  readonly shortestMs: number;
  /** The longest interval: what the service suggests. */
  readonly longestMs: number;
}

export const defaultPollPacing: PollPacing = { shortestMs: 200, longestMs: 5_000 };

/** Without a prediction: the interval as a share of the time waited so far. What is noticed late is late by that share. */
const blindShare = 0.1;
/** Around a likely end: so many looks until the latest likely end … */
const predictedPolls = 10;
/** … but the interval stays between these shares of the expected duration. */
const predictedShare = { least: 0.02, most: 0.045 };
/** Around a likely end an interval may be this share of the shortest: what takes no time is noticed at once. */
const shortestShare = 0.1;
/** How far from an earlier duration the next end may lie, as a share of it, by how many durations are known. */
const margins = { few: 0.15, many: 0.03, manyFrom: 5 };

/**
 * When the next look at an operation is worth a request. Operations of one action take about as long as they took
 * before in the same project, and each list of operations tells how long that was; so few looks are made before an end
 * is likely, and close ones around it: the more alike the earlier durations, the closer. Without such knowledge the intervals grow with the time waited.
 */
export class PollSchedule {
  readonly #pacing: PollPacing;
  /** How long the operations of an action have taken, from their start. Milliseconds, shortest first. */
  readonly #durations = new Map<string, readonly number[]>();
  /** When each operation that is waited for was first seen without another one in its way. Local time. */
  readonly #startedAt = new Map<string, number>();

  constructor(pacing: PollPacing) {
    this.#pacing = pacing;
  }

  /** Takes in a list of the project's operations. */
  learn(operations: readonly Operation[]): void {
    for (const [action, durations] of Object.entries(durationsByAction(operations)))
      this.#durations.set(action, sortBy(durations));
    for (const { id, status } of operations) if (status === 'finished') this.#startedAt.delete(id);
  }

  /** How long until the next look at these unfinished operations. Milliseconds from now. */
  intervalMs(operations: readonly Operation[]): number {
    // What is scheduled behind a running operation of the same change can't end before that one.
    const begun = operations.filter(({ status }) => status !== 'scheduling');
    const intervals = (begun.length > 0 ? begun : operations).map((operation) => this.#intervalOf(operation));
    return min(intervals) ?? this.#pacing.shortestMs;
  }

  #intervalOf({ id, action }: Operation): number {
    const { shortestMs, longestMs } = this.#pacing;
    const elapsedMs = Date.now() - this.#begin(id);
    const durations = this.#durations.get(action) ?? [];
    const margin = durations.length < margins.manyFrom ? margins.few : margins.many;
    // The next of the earlier durations that this operation has not outlasted yet.
    const likelyMs = durations.find((durationMs) => durationMs * (1 + margin) >= elapsedMs);
    if (likelyMs === undefined) return clamp(elapsedMs * blindShare, shortestMs, longestMs);
    const aheadMs = (durations.at(-1) ?? likelyMs) * (1 + margin) - likelyMs * (1 - margin);
    const { least, most } = predictedShare;
    const closeMs = clamp(aheadMs / predictedPolls, likelyMs * least, likelyMs * most);
    const stepMs = clamp(closeMs, shortestMs * shortestShare, longestMs);
    return clamp(likelyMs * (1 - margin) - elapsedMs, stepMs, longestMs);
  }

  #begin(id: string): number {
    const startedAt = this.#startedAt.get(id) ?? Date.now();
    this.#startedAt.set(id, startedAt);
    return startedAt;
  }
}

/** How long the finished operations took, from when nothing of the same endpoint was in their way any more. */
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
