import { setTimeout as sleep } from 'node:timers/promises';
import { ControlApiError } from '../control-api/control-api-error';
import { Deadline, describeSeconds } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { describeOperation, isUnfinished } from './operation-outcome';
import type { OperationPoller } from './operation-poller';

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

/**
 * So much of a deadline is left for the response to the last try, as a share of it and in milliseconds at most: a write
 * that is cut off by its deadline may have been done, and its error would not say that the project is locked.
 */
const lastTry = { share: 0.05, mostMs: 5_000 };

/** A write that waits for the lock. */
interface LockedWrite {
  readonly deadline: Deadline;
  readonly onLocked: (blocking: readonly Operation[]) => void;
}

/** One write's wait for the end of the lock of its project. */
export class ProjectLock {
  readonly #poller: OperationPoller;
  readonly #pacing: LockPacing;
  readonly #write: LockedWrite;
  #blocking: readonly Operation[];
  #refusals = 0;
  /** When each operation that does not lock the project had last changed. The writes of the queue share it. */
  readonly #harmless: Map<string, string>;
  /** When each operation that was there at an earlier refusal had last changed: as long as it has not, it proves nothing. */
  readonly #unchangedSince = new Map<string, string>();

  constructor(
    poller: OperationPoller,
    pacing: LockPacing,
    write: LockedWrite,
    known: readonly Operation[],
    harmless: Map<string, string>,
  ) {
    this.#poller = poller;
    this.#pacing = pacing;
    this.#write = write;
    this.#blocking = known.filter(isUnfinished);
    this.#harmless = harmless;
  }

  /** The service has accepted the write: what was unfinished then, and has not changed since, does not lock the project. */
  noteAccepted(): void {
    for (const { id, updated_at } of this.#blocking) this.#harmless.set(id, updated_at);
  }

  /** The unfinished operations of the project, by a fresh list; none when it can't be had. */
  async findBlocking(): Promise<readonly Operation[]> {
    const { deadline } = this.#write;
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
    if (this.#patienceMs === 0) throw new LockedError(refusal, this.#blocking, this.#write.deadline);
  }

  /** For how long the write may still wait before it is sent. */
  get #patienceMs(): number {
    const { remainingMs, totalMs } = this.#write.deadline;
    return Math.max(0, remainingMs - Math.min(lastTry.mostMs, totalMs * lastTry.share));
  }

  /** Returns whether anything was seen that locks the project. */
  async #waitForOperations(pauseMs: number): Promise<boolean> {
    const { onLocked } = this.#write;
    let wasSeen = false;
    const isOver = await this.#poller.watch<boolean>({
      deadline: new Deadline(Math.min(pauseMs, this.#patienceMs)),
      operations: () => this.#blocking,
      judge: ({ newest }) => {
        this.#blocking = newest.filter(
          (operation) => isUnfinished(operation) && !this.#isHarmless(operation),
        );
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

  #isHarmless({ id, updated_at }: Operation): boolean {
    return this.#harmless.get(id) === updated_at;
  }

  /** For the operations of the write before, which end soon; there is time left for a try. */
  #firstWaitMs(): number {
    return Math.min(this.#pacing.longestMs, this.#write.deadline.remainingMs / 2);
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

export function isLocked(error: unknown): error is ControlApiError {
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
