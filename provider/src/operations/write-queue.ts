import { partition, sortedIndexBy } from 'lodash';
import type { ControlApiError } from '../control-api/control-api-error';
import type { Operation } from '../control-api/wire-types';
import type { OperationPoller } from './operation-poller';
import {
  defaultLockPacing,
  isLocked,
  LockedError,
  type LockedWrite,
  type LockPacing,
  UnlockWait,
} from './wait-for-unlock';

/** A write whose deadline starts when it leaves the queue. */
export interface QueuedWrite<Result> extends LockedWrite {
  /** Sends the write. Called again after a 423. */
  readonly write: () => Promise<Result>;
  /** Returns the operations that the write started. */
  readonly startedBy: (result: Result) => readonly Operation[];
}

/** The maximum number of concurrent writes in a project that does not lock. */
const maxConcurrentWrites = 8;

interface Entry extends LockedWrite {
  readonly place: number;
  /** The 423 of the latest attempt. */
  refusal?: ControlApiError;
  /** Sends the write once. */
  readonly send: () => Promise<void>;
  readonly fail: (error: unknown) => void;
}

/**
 * The writes to one project, first come, first served. A project with unfinished operations returns 423, unless the
 * service lets them run concurrently. Only the responses show which. So the queue starts with one write at a time and
 * doubles that while none is refused. After the first 423, it sends one at a time for the rest of the run: the first
 * write waits for the operations that lock the project, and the others send nothing.
 *
 * Time in the queue does not count against a write's deadline. If the lock outlasts the deadline of the first write, the
 * queued writes with the same or a shorter deadline fail at once, instead of one after the other. Until a write is accepted,
 * later ones of such a deadline are tried once.
 */
export class WriteQueue {
  readonly #poller: OperationPoller;
  readonly #pacing: LockPacing;
  #waiting: Entry[] = [];
  #places = 0;
  #underWay = 0;
  #width = 1;
  #isLocking = false;
  /** The operations that the latest write started. */
  #latest: readonly Operation[] = [];
  #latestAt = Number.NEGATIVE_INFINITY;
  /** The versions of operations that do not lock the project. */
  readonly #harmless = new Set<string>();
  /** The error of the write whose deadline the lock outlasted. */
  #stuckOn: LockedError | undefined;

  constructor(poller: OperationPoller, pacing: LockPacing = defaultLockPacing) {
    this.#poller = poller;
    this.#pacing = pacing;
  }

  /** When the latest write was done, or may have been; minus infinity before the first. By `performance.now()`. */
  get latestAt(): number {
    return this.#latestAt;
  }

  /** @throws LockedError when the project stays locked until the deadline */
  run<Result>({ deadline, write, startedBy, onLocked }: QueuedWrite<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const send = async () => {
        const result = await write().catch((error: unknown) => {
          // Its work may be done although it failed.
          if (!isLocked(error)) this.#latestAt = performance.now();
          throw error;
        });
        this.#noteDone(startedBy(result));
        resolve(result);
      };
      const place = this.#places++;
      this.#enter({ place, deadline, send, onLocked, fail: reject });
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
      this.#width = Math.min(maxConcurrentWrites, this.#width * 2);
    } catch (error) {
      if (!isLocked(error)) throw error;
      this.#isLocking = true;
      entry.refusal = error;
      // The write keeps its place before later ones.
      this.#enter(entry);
    }
  }

  async #sendWhenUnlocked(entry: Entry): Promise<void> {
    const lock = new UnlockWait(this.#poller, this.#pacing, entry, this.#latest, this.#harmless);
    for (;;) {
      await lock.waitForUnlock(entry.refusal);
      try {
        await entry.send();
        return lock.noteAccepted();
      } catch (error) {
        if (!isLocked(error)) throw error;
        if (this.#stuckOn?.outlasts(entry.deadline)) throw this.#stuckOn.forQueued();
        entry.refusal = error;
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
    this.#latestAt = performance.now();
    this.#stuckOn = undefined;
  }
}
