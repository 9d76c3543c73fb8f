import { setTimeout as sleep } from 'node:timers/promises';
import { ControlApiError } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { describeOperation, isUnfinished } from './operation-outcome';
import type { OperationPoller } from './operation-poller';

export interface LaneRequest<Answer> {
  /** Begins when the write's turn has come. */
  readonly deadline: Deadline;
  /** Sends the write. Called again after a 423. */
  readonly write: () => Promise<Answer>;
  /** The operations that the write has started. */
  readonly startedBy: (answer: Answer) => readonly Operation[];
  /** Told which operations lock the project, while they do. */
  readonly onLocked?: ((blocking: readonly Operation[]) => void) | undefined;
}

/** The pause before a write goes again when the project is locked by nothing that can be seen. Milliseconds. */
const unseenLockPauseMs = 500;
/** How many writes may be under way at a time in a project that does not lock. */
const widest = 8;

/**
 * The writes to one project, first come, first served. A project whose operations are unfinished answers 423, unless
 * the service lets them run side by side; which it is, the answers tell. So writes go out one at a time first, and
 * ever more at a time while none is refused. After the first 423 there is one at a time for good: whoever is at the
 * head waits for the operations that are in the way to end, while the others have sent nothing.
 * Time spent in line does not count against a write's own deadline.
 */
export class WriteLane {
  readonly #poller: OperationPoller;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #width = 1;
  #isLocking = false;
  #tail: Promise<unknown> = Promise.resolve();
  /** What the latest write of a locking project has started. */
  #latest: readonly Operation[] = [];
  #latestAt = 0;

  constructor(poller: OperationPoller) {
    this.#poller = poller;
  }

  /** When the latest write was done; 0 before the first. Local time. */
  get latestAt(): number {
    return this.#latestAt;
  }

  async run<Answer>(request: LaneRequest<Answer>): Promise<Answer> {
    await this.#enter();
    if (this.#isLocking) {
      const turn = this.#inTurn(() => this.#writeWhenUnlocked(request));
      this.#leave();
      return turn;
    }
    const { deadline, write, startedBy } = request;
    deadline.begin();
    let turn: Promise<Answer>;
    try {
      const answer = await write();
      this.#note(startedBy(answer));
      this.#width = Math.min(widest, this.#width * 2);
      return answer;
    } catch (error) {
      if (!isLocked(error)) throw error;
      this.#isLocking = true;
      // Takes its place in line before the others are let in behind it.
      turn = this.#inTurn(() => this.#writeWhenUnlocked(request, error));
    } finally {
      this.#leave();
    }
    return turn;
  }

  async #enter(): Promise<void> {
    if (this.#waiting.length === 0 && this.#room() > 0) this.#underWay += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #leave(): void {
    this.#underWay -= 1;
    for (const admit of this.#waiting.splice(0, this.#room())) {
      this.#underWay += 1;
      admit();
    }
  }

  /** How many more may go out. Once the project is known to lock, those that are out take their places in line first. */
  #room(): number {
    if (!this.#isLocking) return this.#width - this.#underWay;
    return this.#underWay === 0 ? Number.MAX_SAFE_INTEGER : 0;
  }

  #note(started: readonly Operation[]): void {
    this.#latest = started;
    this.#latestAt = Date.now();
  }

  /** Runs the work when everything that came before it has ended. */
  #inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const turn = this.#tail.then(work);
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  async #writeWhenUnlocked<Answer>(request: LaneRequest<Answer>, refusal?: ControlApiError): Promise<Answer> {
    const { deadline, write, startedBy } = request;
    deadline.begin();
    if (refusal || this.#latest.some(isUnfinished)) await this.#waitForUnlock(request, this.#latest, refusal);
    for (;;) {
      try {
        const answer = await write();
        this.#note(startedBy(answer));
        return answer;
      } catch (error) {
        if (!isLocked(error)) throw error;
        await this.#waitForUnlock(request, [], error);
      }
    }
  }

  async #waitForUnlock(
    { deadline, onLocked }: Pick<LaneRequest<unknown>, 'deadline' | 'onLocked'>,
    known: readonly Operation[],
    refusal: ControlApiError | undefined,
  ): Promise<void> {
    let blocking = known.filter(isUnfinished);
    let looks = 0;
    const isUnlocked = await this.#poller.watch<boolean>({
      deadline,
      operations: () => blocking,
      judge: ({ newest }) => {
        looks += 1;
        blocking = newest.filter(isUnfinished);
        if (blocking.length === 0) return true;
        onLocked?.(blocking);
        return undefined;
      },
      expire: () => false,
    });
    // Whoever has been refused nothing yet tries once: the lock may be over.
    if (!refusal) return;
    if (!isUnlocked || deadline.hasPassed) throw new LockedError(refusal, blocking, deadline);
    if (known.length === 0 && looks === 1)
      await sleep(Math.min(deadline.remainingMs, Math.random() * unseenLockPauseMs));
  }
}

function isLocked(error: unknown): error is ControlApiError {
  return error instanceof ControlApiError && error.isLocked;
}

/** A write that found its project locked until its deadline. Nothing was changed. */
export class LockedError extends Error {
  override readonly name = 'LockedError';

  constructor(locked: ControlApiError, blocking: readonly Operation[], deadline: Deadline) {
    const blockers = blocking.map(describeOperation).join(', ') || locked.reason;
    const seconds = Math.round(deadline.totalMs / 1000);
    super(`${locked.method} ${locked.path}: 423 Locked (${blockers}); waited ${seconds} s`, {
      cause: locked,
    });
  }
}
