import { vi } from 'vitest';
import { ControlApiError } from '../../provider/src/control-api/control-api-error';
import { Deadline } from '../../provider/src/control-api/deadline';
import type { Operation } from '../../provider/src/control-api/wire-types';
import { OperationPoller, type OperationSource } from '../../provider/src/operations/operation-poller';
import { type QueuedWrite, WriteQueue } from '../../provider/src/operations/write-queue';
import { now } from './fake-clock';
import { operationOf } from './operation';

// A project whose writes queue, by a fake clock.

export const minuteMs = 60_000;

/** A deadline that starts when its write leaves the queue. */
export const within = (durationMs: number) => new Deadline(durationMs, 'later');
export const tenMinutes = () => within(10 * minuteMs);

export const forever = Number.POSITIVE_INFINITY;

export const refusal = (status: number) =>
  new ControlApiError({ method: 'POST', path: '/endpoints', status, reason: 'conflicting operations' });

/** An operation that runs during this time, in milliseconds after the start, and is not shown otherwise. */
export function running(id: string, fromMs: number, untilMs: number, change: Partial<Operation> = {}) {
  return (ms: number): Operation[] =>
    ms >= fromMs && ms < untilMs ? [operationOf({ id, action: 'create_branch', ...change })] : [];
}

interface Write {
  readonly deadline?: Deadline;
  /** The operations that the write starts. */
  readonly starts?: readonly Operation[];
  readonly onLocked?: QueuedWrite<string>['onLocked'];
}

/** A project that is polled ten times a second. By default, it locks while one of its operations runs. */
export class QueuedProject {
  /** Which write was sent when. */
  readonly sent: string[] = [];
  /** How the service refuses a write that arrives now. */
  refuses: (name: string) => Error | undefined = () =>
    this.#operations().length > 0 ? refusal(423) : undefined;
  readonly queue: WriteQueue;
  readonly #operations: () => Operation[];

  constructor(...operations: ((ms: number) => Operation[])[]) {
    this.#operations = () => operations.flatMap((each) => each(now()));
    const source: OperationSource = {
      listOperations: async () => ({ operations: this.#operations() }),
      getOperation: async () => {
        throw refusal(404);
      },
    };
    this.queue = new WriteQueue(new OperationPoller(source, 'p-1', { shortestMs: 100, longestMs: 100 }));
  }

  /** Queues a write, and reports how and when it ended. */
  async write(name: string, { deadline = tenMinutes(), starts = [], onLocked }: Write = {}): Promise<string> {
    const write = async () => {
      this.sent.push(`${name} at ${now()}`);
      const error = this.refuses(name);
      if (error) throw error;
      return name;
    };
    try {
      await this.queue.run({ deadline, write, startedBy: () => starts, onLocked });
      return `${name} done at ${now()}`;
    } catch (error) {
      return `${name} failed at ${now()}: ${error instanceof Error ? error.message : error}`;
    }
  }

  /** When the writes were sent, in milliseconds. */
  get sentAt(): number[] {
    return this.sent.map((each) => Number(each.split(' at ')[1]));
  }
}

/** The results of the writes after a time. */
export async function passing(writes: Promise<string>[], durationMs = 20 * minuteMs): Promise<string[]> {
  await vi.advanceTimersByTimeAsync(durationMs);
  return Promise.all(writes);
}

/** A project whose operation op-7 never finishes. */
export const lockedProject = (...operations: ((ms: number) => Operation[])[]) =>
  new QueuedProject(...operations, running('op-7', 0, forever));

/**
 * The error of a write that waited in that project, up to the duration. A twentieth of each deadline, at most 5 s, is
 * left for the response to a last try.
 */
export const lastTried = 'POST /endpoints: 423 Locked (create_branch op-7 running); waited';
