import { partition, sortedIndexBy } from 'lodash';
import type { ControlApiError } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { isUnfinished } from './operation-outcome';
import type { OperationPoller } from './operation-poller';
import { defaultLockPacing, isLocked, LockedError, type LockPacing, ProjectLock } from './project-lock';

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

/** How many writes may be under way at a time in a project that does not lock. */
const widest = 8;

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
  /** When each operation that does not lock the project had last changed. */
  readonly #harmless = new Map<string, string>();
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
    const lock = new ProjectLock(this.#poller, this.#pacing, entry, this.#latest, this.#harmless);
    if (entry.refusal || this.#latest.some(isUnfinished)) await lock.waitForEnd(entry.refusal);
    for (;;) {
      try {
        await entry.send();
        return lock.noteAccepted();
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
