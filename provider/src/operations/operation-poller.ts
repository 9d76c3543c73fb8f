import { clamp, maxBy } from 'lodash';
import type { ControlApi } from '../control-api/control-api';
import { ControlApiError, isNotFound, toError } from '../control-api/control-api-error';
import { type Deadline, toTimerMs } from '../control-api/deadline';
import type { CallOptions } from '../control-api/http-client';
import type { Operation } from '../control-api/wire-types';
import { defaultPollPacing, type PollPacing, PollSchedule } from './poll-schedule';

/** Where operations are looked up. */
export type OperationSource = Pick<ControlApi, 'listOperations' | 'getOperation'>;

/** The last look goes out this share of the deadline before its end, at most a second before. */
const lastPollShare = 0.05;
const lastPollMs = 1_000;
/** So many refusals in a row (a wrong key, a project that is gone) are final; a single one may be a proxy's. */
const finalRefusals = 3;
/** A page holds at least so many operations, and twice as many as are waited for: history is on it too. */
const smallestPage = 50;
const largestPage = 1_000;

/** What a look at the project's operations found: the newest page, and each watched operation. */
export interface OperationsView {
  /** The newest operations of the project, newest first. */
  readonly newest: readonly Operation[];
  /** The newest knowledge of a watched operation; undefined when the service does not know it any more. */
  find(operationId: string): Operation | undefined;
}

/** Something that waits for operations. */
export interface Watch<Result> {
  /** The unfinished operations that must be known, on the newest page or not. None: whatever the page shows. */
  operations(): readonly Operation[];
  readonly deadline: Deadline;
  /** Asked after every look; a result ends the watch, and so does an error, which is nobody else's. */
  judge(view: OperationsView): Result | undefined;
  /** The result when the deadline comes first. */
  expire(): Result;
}

interface ActiveWatch {
  readonly operations: () => readonly Operation[];
  readonly deadline: Deadline;
  nextPollAt: number;
  readonly report: (view: OperationsView) => void;
  readonly expire: () => void;
  readonly fail: (error: Error) => void;
}

/**
 * Looks at the operations of one project on behalf of all who wait for any of them: one list answers for all.
 * A look that fails says nothing about the operations; it is made again until the deadlines of those who wait.
 */
export class OperationPoller {
  readonly #source: OperationSource;
  readonly #projectId: string;
  readonly #pacing: PollPacing;
  readonly #pollSchedule: PollSchedule;
  readonly #watches = new Set<ActiveWatch>();
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;
  #failedPolls = 0;
  #refusals = 0;
  /** How often in a row an operation could not be read by its id. */
  readonly #unread = new Map<string, number>();
  #pauseUntil = 0;

  constructor(source: OperationSource, projectId: string, pacing: PollPacing = defaultPollPacing) {
    this.#source = source;
    this.#projectId = projectId;
    this.#pacing = pacing;
    this.#pollSchedule = new PollSchedule(pacing);
  }

  /** Resolves with what the watch decides, or with its `expire` at the deadline; rejects on a final refusal. */
  watch<Result>(watch: Watch<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const { deadline } = watch;
      const end = (settle: () => void) => {
        clearTimeout(atDeadline);
        this.#watches.delete(active);
        settle();
      };
      const active: ActiveWatch = {
        operations: () => watch.operations(),
        deadline,
        nextPollAt: 0,
        report: (view) => {
          try {
            const result = watch.judge(view);
            if (result !== undefined) end(() => resolve(result));
          } catch (error) {
            end(() => reject(error));
          }
        },
        expire: () => end(() => resolve(watch.expire())),
        fail: (error) => end(() => reject(error)),
      };
      // The last look comes before the deadline; this is for one that gets no answer in time.
      const atDeadline = setTimeout(() => active.expire(), toTimerMs(deadline.remainingMs));
      this.#watches.add(active);
      this.#planPoll(active);
      this.#schedule();
    });
  }

  #planPoll(watch: ActiveWatch): void {
    const operations = watch.operations();
    // Who knows of no operation yet wants to know at once.
    const intervalMs = operations.length > 0 ? this.#pollSchedule.intervalMs(operations) : 0;
    const untilLastPollMs = watch.deadline.remainingMs - lastPollLeadMs(watch.deadline);
    watch.nextPollAt = Date.now() + Math.max(0, Math.min(intervalMs, untilLastPollMs));
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isPolling || this.#watches.size === 0) return;
    const nextPollAt = Math.min(...[...this.#watches].map((watch) => watch.nextPollAt));
    const delayMs = Math.max(nextPollAt, this.#pauseUntil) - Date.now();
    this.#timer = setTimeout(() => void this.#poll(), toTimerMs(delayMs));
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    const asked = [...this.#watches];
    try {
      const view = await this.#fetchView(asked);
      this.#failedPolls = 0;
      this.#refusals = 0;
      for (const watch of asked) {
        if (this.#watches.has(watch)) watch.report(view);
      }
    } catch (error) {
      this.#noteFailure(error, asked);
    }
    for (const watch of this.#watches) {
      if (watch.deadline.remainingMs <= lastPollLeadMs(watch.deadline)) watch.expire();
      else this.#planPoll(watch);
    }
    this.#isPolling = false;
    this.#schedule();
  }

  async #fetchView(watches: readonly ActiveWatch[]): Promise<OperationsView> {
    const deadline = maxBy(watches, (watch) => watch.deadline.remainingMs)?.deadline;
    // A poll is not sent again at once when it fails: the next one is near anyway.
    const once = { deadline, isSentOnce: true };
    const watched = new Map(watches.flatMap((watch) => watch.operations().map((each) => [each.id, each])));
    const limit = clamp(watched.size * 2, smallestPage, largestPage);
    const { operations: newest } = await this.#source.listOperations(this.#projectId, { limit }, once);
    this.#pollSchedule.learn(newest);
    const byId = new Map<string, Operation | undefined>(newest.map((operation) => [operation.id, operation]));
    const missing = [...watched.values()].filter(({ id }) => !byId.has(id));
    const found = await Promise.all(missing.map((operation) => this.#findById(operation, once, watches)));
    for (const [index, { id }] of missing.entries()) byId.set(id, found[index]);
    return { newest, find: (operationId) => byId.get(operationId) };
  }

  /** One that can't be read stays as it was; what is refused again and again fails those who wait for it alone. */
  async #findById(
    operation: Operation,
    options: CallOptions,
    watches: readonly ActiveWatch[],
  ): Promise<Operation | undefined> {
    const { id } = operation;
    try {
      const found = await this.#source.getOperation(this.#projectId, id, options);
      this.#unread.delete(id);
      return found;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      const isRefused = !(error instanceof ControlApiError) || error.meaning === 'refused';
      const refusals = isRefused ? (this.#unread.get(id) ?? 0) + 1 : 0;
      this.#unread.set(id, refusals);
      if (refusals < finalRefusals && error instanceof ControlApiError) return operation;
      const waiting = watches.filter((watch) => watch.operations().some((each) => each.id === id));
      for (const watch of waiting) watch.fail(toError(error));
      return operation;
    }
  }

  #noteFailure(error: unknown, asked: readonly ActiveWatch[]): void {
    const isCall = error instanceof ControlApiError;
    this.#refusals = isCall && error.meaning !== 'refused' ? 0 : this.#refusals + 1;
    if (!isCall || this.#refusals === finalRefusals) {
      for (const watch of asked) watch.fail(toError(error));
      this.#refusals = 0;
      return;
    }
    this.#failedPolls += 1;
    const backoffMs = Math.min(this.#pacing.longestMs, this.#pacing.shortestMs * 2 ** this.#failedPolls);
    this.#pauseUntil = Date.now() + error.retryAfterMs + Math.random() * backoffMs;
  }
}

function lastPollLeadMs(deadline: Deadline): number {
  return Math.min(lastPollMs, deadline.totalMs * lastPollShare);
}
