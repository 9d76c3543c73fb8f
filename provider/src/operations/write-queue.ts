import { setTimeout as sleep } from 'node:timers/promises';
import { partition, sortedIndexBy } from 'lodash';
import { ControlApiError } from '../control-api/control-api-error';
import { Deadline, describeSeconds } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { describeOperation, isUnfinished } from './operation-outcome';
import type { OperationPoller } from './operation-poller';

export interface QueuedWrite<Result> {
  /** Begins when the write's turn has come. */
  readonly deadline: Deadline;
  /** Sends the write. Called again after a 423. */
  readonly write: () => Promise<Result>;
  /** The operations that the write has started. */
  readonly startedBy: (result: Result) => readonly Operation[];
  /** Called with the operations that lock the project, while they do. */
  readonly onLocked?: ((blocking: readonly Operation[]) => void) | undefined;
}

/** How often a write is sent again while its project stays locked. All in milliseconds. */
export interface LockPacing {
  /** The first pause when no operation shows what locks the project; it doubles. */
  readonly unseenMs: number;
  /** The first pause while an operation locks it, which may end before; it grows by half. */
  readonly firstMs: number;
  /** The longest pause. */
  readonly longestMs: number;
}

export const defaultLockPacing: LockPacing = { unseenMs: 500, firstMs: 5_000, longestMs: 30_000 };

/** How many writes may be under way at a time in a project that does not lock. */
const widest = 8;

/**
 * So much of a deadline is left for the response to the last try, as a share of it and in milliseconds at most: a write
 * that is cut off by its deadline may have been done, and its error would not say that the project is locked.
 */
const lastTry = { share: 0.05, mostMs: 5_000 };

interface Entry {
  readonly place: number;
  readonly deadline: Deadline;
  /** The 423 of the first try. */
  refusal?: ControlApiError;
  /** Sends the write once. */
  readonly send: () => Promise<void>;
  readonly onLocked: (blocking: readonly Operation[]) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * The writes to one project, first come, first served. A project whose operations are unfinished answers 423, unless
 * the service lets them run side by side; the responses tell which. So writes go out one at a time first, and ever more
 * at a time while none is refused. After the first 423 there is one at a time for the rest of the run: the first in the
 * queue waits for the operations that lock the project, while the others have sent nothing.
 *
 * Time in the queue does not count against a write's own deadline. When the lock outlasts the deadline of the first
 * write, the queued ones that would wait no longer fail with it, instead of one after the other.
 */
export class WriteQueue {
  readonly #poller: OperationPoller;
  readonly #pacing: LockPacing;
  #waiting: Entry[] = [];
  #places = 0;
  #underWay = 0;
  #width = 1;
  #isLocking = false;
  /** What the latest write of a locking project has started. */
  #latest: readonly Operation[] = [];
  #latestAt = 0;
  /** The lock that outlasted a deadline. */
  #stuckOn: LockedError | undefined;

  constructor(poller: OperationPoller, pacing: LockPacing = defaultLockPacing) {
    this.#poller = poller;
    this.#pacing = pacing;
  }

  /** When the latest write was done; 0 before the first. Local time. */
  get latestAt(): number {
    return this.#latestAt;
  }

  /** @throws LockedError when the project stays locked until the deadline */
  run<Result>({ deadline, write, startedBy, onLocked }: QueuedWrite<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const send = async () => {
        const result = await write();
        this.#noteDone(startedBy(result));
        resolve(result);
      };
      const place = this.#places++;
      this.#enter({ place, deadline, send, onLocked: onLocked ?? (() => undefined), fail: reject });
      this.#admit();
    });
  }

  #enter(entry: Entry): void {
    this.#waiting.splice(sortedIndexBy(this.#waiting, entry, 'place'), 0, entry);
  }

  #admit(): void {
    while (this.#underWay < (this.#isLocking ? 1 : this.#width)) {
      const entry = this.#waiting.shift();
      if (!entry) return;
      this.#underWay += 1;
      void this.#perform(entry).finally(() => {
        this.#underWay -= 1;
        this.#admit();
      });
    }
  }

  async #perform(entry: Entry): Promise<void> {
    entry.deadline.begin();
    try {
      if (this.#isLocking) await this.#sendWhenUnlocked(entry);
      else await this.#sendFreely(entry);
    } catch (error) {
      entry.fail(error);
      if (error instanceof LockedError) this.#failQueued(error);
    }
  }

  async #sendFreely(entry: Entry): Promise<void> {
    try {
      await entry.send();
      this.#width = Math.min(widest, this.#width * 2);
    } catch (error) {
      if (!isLocked(error)) throw error;
      this.#isLocking = true;
      entry.refusal = error;
      // Keeps its place: those that came later wait behind it.
      this.#enter(entry);
    }
  }

  async #sendWhenUnlocked(entry: Entry): Promise<void> {
    const lock = new Lock(this.#poller, this.#pacing, entry, this.#latest);
    if (entry.refusal || this.#latest.some(isUnfinished)) await lock.waitForEnd(entry.refusal);
    for (;;) {
      try {
        return await entry.send();
      } catch (error) {
        if (!isLocked(error)) throw error;
        const isHopeless = this.#stuckOn?.outlasts(entry.deadline);
        if (isHopeless && this.#stuckOn?.isFor(await lock.findBlocking())) throw this.#stuckOn.forQueued();
        await lock.waitForEnd(error);
      }
    }
  }

  #failQueued(error: LockedError): void {
    this.#stuckOn = error;
    const [hopeless, patient] = partition(this.#waiting, ({ deadline }) => error.outlasts(deadline));
    this.#waiting = patient;
    for (const { fail } of hopeless) fail(error.forQueued());
  }

  #noteDone(started: readonly Operation[]): void {
    this.#latest = started;
    this.#latestAt = Date.now();
    this.#stuckOn = undefined;
  }
}

/** One write's wait for the end of the lock of its project. */
class Lock {
  readonly #poller: OperationPoller;
  readonly #pacing: LockPacing;
  readonly #entry: Entry;
  #blocking: readonly Operation[];
  #refusals = 0;
  /** When each operation that was there at an earlier refusal had last changed: as long as it has not, it proves nothing. */
  readonly #unchangedSince = new Map<string, string>();

  constructor(poller: OperationPoller, pacing: LockPacing, entry: Entry, known: readonly Operation[]) {
    this.#poller = poller;
    this.#pacing = pacing;
    this.#entry = entry;
    this.#blocking = known.filter(isUnfinished);
  }

  /** The unfinished operations of the project, by a fresh list; none when it can't be had. */
  async findBlocking(): Promise<readonly Operation[]> {
    const { deadline } = this.#entry;
    this.#blocking = await this.#poller.watch<readonly Operation[]>({
      deadline,
      operations: () => [],
      judge: ({ newest }) => newest.filter(isUnfinished),
      expire: () => [],
    });
    return this.#blocking;
  }

  /**
   * Returns when the write is worth another try: the operations that lock the project have ended, or a pause is over
   * that grows with each refusal.
   * @throws LockedError when the deadline of a write that was refused leaves no time for another try
   */
  async waitForEnd(refusal: ControlApiError | undefined): Promise<void> {
    if (refusal) this.#refusals += 1;
    const wasSeen = await this.#waitForOperations(refusal ? this.#pauseMs() : this.#firstWaitMs());
    // Without a refusal so far it is worth a try: the lock may be over.
    if (!refusal) return;
    if (!wasSeen) await sleep(Math.min(this.#patienceMs, this.#unseenPauseMs()));
    if (this.#patienceMs === 0) throw new LockedError(refusal, this.#blocking, this.#entry.deadline);
  }

  /** For how long the write may still wait before it is sent. */
  get #patienceMs(): number {
    const { remainingMs, totalMs } = this.#entry.deadline;
    return Math.max(0, remainingMs - Math.min(lastTry.mostMs, totalMs * lastTry.share));
  }

  /** Returns whether anything was seen that locks the project. */
  async #waitForOperations(pauseMs: number): Promise<boolean> {
    const { onLocked } = this.#entry;
    let wasSeen = false;
    const isOver = await this.#poller.watch<boolean>({
      deadline: new Deadline(Math.min(pauseMs, this.#patienceMs)),
      operations: () => this.#blocking,
      judge: ({ newest }) => {
        this.#blocking = newest.filter(isUnfinished);
        if (this.#blocking.length === 0) return true;
        onLocked(this.#blocking);
        const isRelevant = this.#blocking.some(
          ({ id, updated_at }) => this.#unchangedSince.get(id) !== updated_at,
        );
        // When what changed has ended, what never changes need not be in the way.
        if (wasSeen && !isRelevant) return true;
        wasSeen ||= isRelevant;
        return undefined;
      },
      expire: () => false,
    });
    for (const { id, updated_at } of this.#blocking) this.#unchangedSince.set(id, updated_at);
    return wasSeen || !isOver;
  }

  /** For the operations of the write before, which end soon; there is time left for a try. */
  #firstWaitMs(): number {
    return Math.min(this.#pacing.longestMs, this.#entry.deadline.remainingMs / 2);
  }

  #pauseMs(): number {
    const { firstMs, longestMs } = this.#pacing;
    return Math.min(longestMs, firstMs * 1.5 ** (this.#refusals - 1));
  }

  #unseenPauseMs(): number {
    const { unseenMs, longestMs } = this.#pacing;
    return Math.random() * Math.min(longestMs, unseenMs * 2 ** (this.#refusals - 1));
  }
}

function isLocked(error: unknown): error is ControlApiError {
  return error instanceof ControlApiError && error.isLocked;
}

/** A write that found its project locked until its deadline. Nothing was changed. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
  readonly #blocking: readonly Operation[];
  readonly #lock: string;
  readonly #waitedMs: number;

  constructor(locked: ControlApiError, blocking: readonly Operation[], deadline: Deadline) {
    const blockers = blocking.map(describeOperation).join(', ') || locked.reason;
    const waited = describeSeconds(deadline.totalMs);
    super(`${locked.method} ${locked.path}: 423 Locked (${blockers}); waited ${waited}`, { cause: locked });
    this.#blocking = blocking;
    this.#waitedMs = deadline.totalMs;
    this.#lock = `The project is locked (${blockers}). An earlier write waited ${waited} without success, so this one did not wait.`;
  }

  /** Whether a write with this deadline, in the queue all the time, would have waited no longer. */
  outlasts(deadline: Deadline): boolean {
    return deadline.totalMs <= this.#waitedMs;
  }

  /** Whether these operations include one for which the write had waited, unchanged. */
  isFor(operations: readonly Operation[]): boolean {
    return operations.some((operation) =>
      this.#blocking.some(({ id, updated_at }) => id === operation.id && updated_at === operation.updated_at),
    );
  }

  /** The error of a write that was queued behind this one. */
  forQueued(): Error {
    return new Error(`${this.#lock} It changed nothing; run the same command again later.`, { cause: this });
  }
}
