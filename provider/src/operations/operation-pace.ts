import { clamp, groupBy, max, min } from 'lodash';
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
/** With one: the interval, around the expected end, as a share of the expected duration. */
const predictedShare = 0.045;
/** With one, an interval may be this share of the shortest: what takes no time is noticed at once. */
const shortestShare = 0.1;
/** How far beyond the earlier durations the next one may lie, by how many of them are known. */
const margins = { few: 0.15, many: 0.03, manyFrom: 5 };
/** Earlier durations that differ by more than this factor predict nothing but the soonest end. */
const widestSpread = 2;

/** How long the operations of one action have taken, from their start. Milliseconds. */
interface Expectation {
  readonly soonestMs: number;
  readonly latestMs: number;
}

/**
 * When the next look at an operation is worth a request. Operations of one action take about as long as they took
 * before in the same project, and each list of operations tells how long that was; so few looks are made before an end
 * is likely, and close ones around it. Without such knowledge the intervals grow with the time waited.
 */
export class OperationPace {
  readonly #pacing: PollPacing;
  readonly #expectations = new Map<string, Expectation>();
  /** When each operation that is waited for was first seen without another one in its way. Local time. */
  readonly #startedAt = new Map<string, number>();

  constructor(pacing: PollPacing) {
    this.#pacing = pacing;
  }

  /** Takes in a list of the project's operations. */
  learn(operations: readonly Operation[]): void {
    for (const [action, durations] of Object.entries(durationsByAction(operations)))
      this.#expectations.set(action, toExpectation(durations));
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
    const blindMs = clamp(elapsedMs * blindShare, shortestMs, longestMs);
    const expected = this.#expectations.get(action);
    if (!expected || elapsedMs > expected.latestMs) return blindMs;
    const { soonestMs, latestMs } = expected;
    const stepMs = clamp(
      ((soonestMs + latestMs) / 2) * predictedShare,
      shortestMs * shortestShare,
      longestMs,
    );
    if (elapsedMs < soonestMs) return clamp(soonestMs - elapsedMs, stepMs, longestMs);
    return latestMs <= soonestMs * widestSpread ? stepMs : blindMs;
  }

  #begin(id: string): number {
    const startedAt = this.#startedAt.get(id) ?? Date.now();
    this.#startedAt.set(id, startedAt);
    return startedAt;
  }
}

function toExpectation(durationsMs: readonly number[]): Expectation {
  const margin = durationsMs.length < margins.manyFrom ? margins.few : margins.many;
  return {
    soonestMs: (min(durationsMs) ?? 0) * (1 - margin),
    latestMs: (max(durationsMs) ?? 0) * (1 + margin),
  };
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
