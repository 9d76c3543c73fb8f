import { clamp, maxBy } from 'lodash';
import type { ControlApi } from '../control-api/control-api';
import { ControlApiError, isNotFound, toError } from '../control-api/control-api-error';
import { type Deadline, toTimerMs } from '../control-api/deadline';
import type { CallOptions } from '../control-api/retry';
import type { Operation } from '../control-api/wire-types';
import { defaultPollPacing, type PollPacing, PollSchedule } from './poll-schedule';

export type OperationSource = Pick<ControlApi, 'listOperations' | 'getOperation'>;

/** How long before the deadline the last poll is sent: this share of it, at most 1 s. */
const lastPollShare = 0.05;
const lastPollMs = 1_000;
/** How many refusals in a row are final, such as for a wrong key. A single one may come from a proxy. */
const finalRefusals = 3;
/** Bounds of the page size, which is twice the number of watched operations: a page also holds older ones. */
const smallestPage = 50;
const largestPage = 1_000;

/** The result of a poll: the newest page, and each watched operation. */
export interface OperationsView {
  /** When the poll was sent, at the earliest: what it shows may be as old as that. By `performance.now()`. */
  readonly sentAfter: number;
  /** The newest operations of the project, newest first. */
  readonly newest: readonly Operation[];
  /** The latest version of a watched operation; undefined if the service no longer has it. */
  find(operationId: string): Operation | undefined;
}

export interface Watch<Result> {
  /** The unfinished operations to look up, even if the newest page does not show them. */
  operations(): readonly Operation[];
  readonly deadline: Deadline;
  /** Called after each poll. A result resolves this watch, and an error rejects it; other watches continue. */
  judge(view: OperationsView): Result | undefined;
  /**
   * Returns the result if the deadline passes first.
   * @param failure of the last poll, if it failed
   */
  expire(failure?: string): Result;
}

interface ActiveWatch {
  readonly operations: () => readonly Operation[];
  readonly deadline: Deadline;
  readonly report: (view: OperationsView) => void;
  readonly expire: () => void;
  readonly fail: (error: Error) => void;
}

/**
 * Polls the operations of one project for every watch: all share one list request. A failed poll says nothing about the
 * operations, so the poller repeats it until the deadlines of the watches.
 */
export class OperationPoller {
  readonly #source: OperationSource;
  readonly #projectId: string;
  readonly #pacing: PollPacing;
  readonly #pollSchedule: PollSchedule;
  readonly #watches = new Set<ActiveWatch>();
  #timer: NodeJS.Timeout | undefined;
  /** By `performance.now()`. */
  #nextPollAt = Number.POSITIVE_INFINITY;
  #isPolling = false;
  #failedPolls = 0;
  /** Of the last poll. */
  #failure: string | undefined;
  #refusals = 0;
  #pauseUntil = 0;

  constructor(source: OperationSource, projectId: string, pacing: PollPacing = defaultPollPacing) {
    this.#source = source;
    this.#projectId = projectId;
    this.#pacing = pacing;
    this.#pollSchedule = new PollSchedule(pacing);
  }

  /** Resolves with the result of `judge`, or with that of `expire` at the deadline. Rejects after a final refusal. */
  watch<Result>(watch: Watch<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const { deadline } = watch;
      const end = (finish: () => void) => {
        cancelEnd();
        this.#watches.delete(active);
        if (this.#watches.size === 0) this.#cancelPoll();
        finish();
      };
      const active: ActiveWatch = {
        operations: () => watch.operations(),
        deadline,
        report: (view) => {
          try {
            const result = watch.judge(view);
            if (result !== undefined) end(() => resolve(result));
          } catch (error) {
            end(() => reject(error));
          }
        },
        expire: () => end(() => resolve(watch.expire(this.#failure))),
        fail: (error) => end(() => reject(error)),
      };
      // The last poll precedes the deadline. This covers a poll without a response in time.
      const cancelEnd = deadline.onEnd(() => active.expire());
      this.#watches.add(active);
      this.#planPoll();
    });
  }

  /** Later watches only bring the next poll forward. */
  #planPoll(): void {
    const watches = [...this.#watches];
    if (watches.length === 0) return;
    const awaited = watches.map((watch) => watch.operations());
    // A watch without known operations polls at once.
    const intervalMs = awaited.every(({ length }) => length > 0)
      ? this.#pollSchedule.intervalMs(...awaited)
      : 0;
    const untilLastPoll = watches.map(({ deadline }) => deadline.remainingMs - lastPollLeadMs(deadline));
    const delayMs = Math.max(0, Math.min(intervalMs, ...untilLastPoll));
    this.#nextPollAt = Math.min(this.#nextPollAt, performance.now() + delayMs);
    // After a poll, the next one is planned anew.
    if (this.#isPolling) return;
    clearTimeout(this.#timer);
    const untilPoll = Math.max(this.#nextPollAt, this.#pauseUntil) - performance.now();
    this.#timer = setTimeout(() => void this.#poll(), toTimerMs(untilPoll));
  }

  #cancelPoll(): void {
    clearTimeout(this.#timer);
    this.#nextPollAt = Number.POSITIVE_INFINITY;
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    const polled = [...this.#watches];
    try {
      const view = await this.#fetchView(polled);
      this.#failedPolls = 0;
      this.#failure = undefined;
      this.#refusals = 0;
      for (const watch of polled) {
        if (this.#watches.has(watch)) watch.report(view);
      }
    } catch (error) {
      this.#noteFailure(error, polled);
    }
    for (const watch of this.#watches) {
      if (watch.deadline.remainingMs <= lastPollLeadMs(watch.deadline)) watch.expire();
    }
    this.#isPolling = false;
    this.#cancelPoll();
    this.#planPoll();
  }

  async #fetchView(watches: readonly ActiveWatch[]): Promise<OperationsView> {
    const deadline = maxBy(watches, (watch) => watch.deadline.remainingMs)?.deadline;
    // A failed poll is not retried, because the next poll is due soon.
    const once = { deadline, isSentOnce: true };
    const watched = new Map(watches.flatMap((watch) => watch.operations().map((each) => [each.id, each])));
    const limit = clamp(watched.size * 2, smallestPage, largestPage);
    const sentAfter = performance.now();
    const { operations: newest } = await this.#source.listOperations(this.#projectId, { limit }, once);
    this.#pollSchedule.learn(newest);
    const byId = new Map<string, Operation | undefined>(newest.map((operation) => [operation.id, operation]));
    const missing = [...watched.values()].filter(({ id }) => !byId.has(id));
    const found = await Promise.all(missing.map((operation) => this.#findById(operation, once)));
    for (const [index, { id }] of missing.entries()) byId.set(id, found[index]);
    return { sentAfter, newest, find: (operationId) => byId.get(operationId) };
  }

  /** A failed read leaves the operation unchanged. */
  async #findById(operation: Operation, options: CallOptions): Promise<Operation | undefined> {
    try {
      return await this.#source.getOperation(this.#projectId, operation.id, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (error instanceof ControlApiError) return operation;
      throw error;
    }
  }

  #noteFailure(error: unknown, polled: readonly ActiveWatch[]): void {
    const isCall = error instanceof ControlApiError;
    this.#refusals = isCall && !error.isFinal ? 0 : this.#refusals + 1;
    if (!isCall || this.#refusals === finalRefusals) {
      for (const watch of polled) watch.fail(toError(error));
      this.#refusals = 0;
      return;
    }
    this.#failedPolls += 1;
    this.#failure = error.message;
    const backoffMs = Math.min(this.#pacing.longestMs, this.#pacing.shortestMs * 2 ** this.#failedPolls);
    this.#pauseUntil = performance.now() + error.retryAfterMs + Math.random() * backoffMs;
  }
}

function lastPollLeadMs(deadline: Deadline): number {
  return Math.min(lastPollMs, deadline.totalMs * lastPollShare);
}
