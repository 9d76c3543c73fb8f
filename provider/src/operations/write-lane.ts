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
  /** Told which operations lock the project, while they do. */
  readonly onLocked?: ((blocking: readonly Operation[]) => void) | undefined;
}

/** The pause before a write goes again when the project is locked by nothing that can be seen. Milliseconds. */
const unseenLockPauseMs = 500;

/**
 * The writes to one project, first come, first served, one at a time: a project whose operations are unfinished
 * answers 423, and whoever is at the head waits for those operations to end, while the others have sent nothing.
 * Time spent in line does not count against a write's own deadline.
 */
export class WriteLane {
  readonly #poller: OperationPoller;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(poller: OperationPoller) {
    this.#poller = poller;
  }

  run<Answer>(request: LaneRequest<Answer>): Promise<Answer> {
    const turn = this.#tail.then(() => this.#writeWhenUnlocked(request));
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  async #writeWhenUnlocked<Answer>({ deadline, write, onLocked }: LaneRequest<Answer>): Promise<Answer> {
    deadline.begin();
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof ControlApiError && error.isLocked)) throw error;
        await this.#waitForUnlock(error, deadline, onLocked);
      }
    }
  }

  async #waitForUnlock(
    locked: ControlApiError,
    deadline: Deadline,
    onLocked: LaneRequest<unknown>['onLocked'],
  ): Promise<void> {
    let blocking: readonly Operation[] = [];
    let looks = 0;
    const isUnlocked = await this.#poller.watch<boolean>({
      deadline,
      operationIds: () => [],
      judge: ({ newest }) => {
        looks += 1;
        blocking = newest.filter(isUnfinished);
        if (blocking.length === 0) return true;
        onLocked?.(blocking);
        return undefined;
      },
      expire: () => false,
    });
    if (!isUnlocked || deadline.hasPassed) throw new LockedError(locked, blocking, deadline);
    if (looks === 1) await sleep(Math.min(deadline.remainingMs, Math.random() * unseenLockPauseMs));
  }
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
