import { ControlApiError } from '../control-api/control-api-error';
import { type Deadline, describeSeconds } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { describeOperation, isUnfinished } from './operation-outcome';
import type { OperationPoller } from './operation-poller';

/** The pauses before a locked write is sent again. All in milliseconds. */
export interface LockPacing {
  /** The first pause if no visible operation locks the project. It doubles. */
  readonly unseenMs: number;
  /** The first pause while a visible operation locks the project, unless that finishes first. It grows by half. */
  readonly firstMs: number;
  /** The longest pause. */
  readonly longestMs: number;
}

export const defaultLockPacing: LockPacing = { unseenMs: 500, firstMs: 5_000, longestMs: 30_000 };

/**
 * The part of a deadline that is reserved for the response to the last attempt: a share of it, at most `mostMs`. A write
 * that its deadline cuts off may have been done, and its error would not say that the project is locked.
 */
const lastTry = { share: 0.05, mostMs: 5_000 };

/** A write that may wait for its project. */
export interface LockedWrite {
  readonly deadline: Deadline;
  /** Called with the operations that lock the project, after each poll. */
  readonly onLocked?: ((blocking: readonly Operation[]) => void) | undefined;
}

/** The wait of one write until its project is unlocked. */
export class UnlockWait {
  readonly #poller: OperationPoller;
  readonly #pacing: LockPacing;
  readonly #write: LockedWrite;
  #blocking: readonly Operation[];
  #refusals = 0;
  /** The versions of operations that do not lock the project. The writes of the queue share it. */
  readonly #harmless: Set<string>;

  constructor(
    poller: OperationPoller,
    pacing: LockPacing,
    write: LockedWrite,
    known: readonly Operation[],
    harmless: Set<string>,
  ) {
    this.#poller = poller;
    this.#pacing = pacing;
    this.#write = write;
    this.#blocking = known.filter(isUnfinished);
    this.#harmless = harmless;
  }

  /** The service has accepted the write: what was unfinished then, and has not changed since, does not lock the project. */
  noteAccepted(): void {
    for (const operation of this.#blocking) this.#harmless.add(versionOf(operation));
  }

  /**
   * Returns when another attempt makes sense: when the operations that lock the project have finished or failed, or
   * after a pause that grows with each refusal. At once if nothing shows that the project is locked.
   * @throws LockedError when the deadline of a refused write leaves no time for another attempt
   */
  async waitForUnlock(refusal: ControlApiError | undefined): Promise<void> {
    if (!refusal) {
      // The write has not been refused yet: the project may be unlocked, so it may be sent after this wait.
      if (this.#blocking.length > 0) await this.#waitForOperations(this.#firstWaitMs());
      return;
    }
    this.#refusals += 1;
    const wasSeen = await this.#waitForOperations(this.#pauseMs());
    if (!wasSeen) await this.#write.deadline.pause(Math.min(this.#patienceMs, this.#unseenPauseMs()));
    if (this.#write.deadline.isInterrupted) throw interrupted(refusal, this.#blocking);
    if (this.#patienceMs === 0) throw new LockedError(refusal, this.#blocking, this.#write.deadline);
  }

  /** How long the write may still wait before its last attempt. Milliseconds. */
  get #patienceMs(): number {
    const { remainingMs, totalMs } = this.#write.deadline;
    return Math.max(0, remainingMs - Math.min(lastTry.mostMs, totalMs * lastTry.share));
  }

  /** Returns whether any visible operation locks the project. */
  async #waitForOperations(pauseMs: number): Promise<boolean> {
    const { onLocked } = this.#write;
    let wasSeen = false;
    const isOver = await this.#poller.watch<boolean>({
      deadline: this.#write.deadline.next(Math.min(pauseMs, this.#patienceMs)),
      operations: () => this.#blocking,
      judge: ({ newest }) => {
        this.#blocking = newest.filter(
          (operation) => isUnfinished(operation) && !this.#harmless.has(versionOf(operation)),
        );
        if (this.#blocking.length === 0) return true;
        wasSeen = true;
        onLocked?.(this.#blocking);
        return undefined;
      },
      expire: () => false,
    });
    return wasSeen || !isOver;
  }

  /** For the operations of the previous write, which finish soon. Leaves half of the deadline for attempts. */
  #firstWaitMs(): number {
    return Math.min(this.#pacing.longestMs, this.#write.deadline.remainingMs / 2);
  }

  #pauseMs(): number {
    const { firstMs, longestMs } = this.#pacing;
    return Math.min(longestMs, firstMs * 1.5 ** (this.#refusals - 1));
  }

  /** At most an eighth of the deadline, so that one long pause does not cost a short deadline its other attempts. */
  #unseenPauseMs(): number {
    const { unseenMs, longestMs } = this.#pacing;
    const doubled = Math.min(longestMs, unseenMs * 2 ** (this.#refusals - 1));
    return Math.random() * Math.min(doubled, Math.max(unseenMs, this.#write.deadline.totalMs / 8));
  }
}

/** A text that differs after each change of the operation. */
function versionOf({ id, updated_at }: Operation): string {
  return `${id} ${updated_at}`;
}

function interrupted({ method, path, reason }: ControlApiError, blocking: readonly Operation[]): Error {
  const blockers = blocking.map(describeOperation).join(', ') || reason;
  return new Error(
    `${method} ${path}: refused while the project was locked (${blockers}), and interrupted before another attempt.`,
  );
}

export function isLocked(error: unknown): error is ControlApiError {
  return error instanceof ControlApiError && error.isLocked;
}

/** A write whose project stayed locked until its deadline. Its last request changed nothing. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
  readonly #lock: string;
  readonly #waitedMs: number;

  constructor(locked: ControlApiError, blocking: readonly Operation[], deadline: Deadline) {
    const blockers = blocking.map(describeOperation).join(', ') || locked.reason;
    const waited = describeSeconds(deadline.totalMs);
    super(`${locked.method} ${locked.path}: 423 Locked (${blockers}); waited ${waited}`, { cause: locked });
    this.#waitedMs = deadline.totalMs;
    this.#lock = `The project is locked (${blockers}). An earlier write waited ${waited} without success, so this one did not wait.`;
  }

  /** Whether a write with this deadline would have waited no longer than this one. */
  outlasts(deadline: Deadline): boolean {
    return deadline.totalMs <= this.#waitedMs;
  }

  /** The error of a write that was queued behind this one. */
  forQueued(): Error {
    return new Error(`${this.#lock} Run the same command again later.`, { cause: this });
  }
}
