import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useFakeClock } from '../../../tests/support/fake-clock';
import { operationOf } from '../../../tests/support/operation';
import { ControlApiError } from '../control-api/control-api-error';
import { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { OperationPoller, type OperationSource } from './operation-poller';
import { LockedError } from './project-lock';
import { type QueuedWrite, WriteQueue } from './write-queue';

const start = Date.parse('2026-01-01T00:00:00Z');
const now = () => Date.now() - start;
const minuteMs = 60_000;
const forever = Number.POSITIVE_INFINITY;

useFakeClock(start);

beforeEach(() => {
  // The shortest of the random pauses when nothing shows what locks the project.
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

const refusal = (status: number) =>
  new ControlApiError({ method: 'POST', path: '/endpoints', status, reason: 'conflicting operations' });

/** An operation that runs during this time, in milliseconds after the start, and is not shown otherwise. */
function running(
  id: string,
  fromMs: number,
  untilMs: number,
  change: (ms: number) => Partial<Operation> = () => ({}),
) {
  return (ms: number): Operation[] =>
    ms >= fromMs && ms < untilMs ? [operationOf({ id, action: 'create_branch', ...change(ms) })] : [];
}

/** An operation that was left behind years ago. */
const zombie = running('op-0', 0, forever, () => ({ updated_at: '2020-01-01T00:00:00Z' }));

interface Write {
  readonly deadline?: Deadline;
  /** The operations that the write starts. */
  readonly starts?: readonly Operation[];
  readonly onLocked?: QueuedWrite<string>['onLocked'];
}

/** A project that is polled ten times a second. By default, it locks while one of its operations runs. */
class QueuedProject {
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

/** A time by the clock of the service. */
const timeOf = (seconds: number) => new Date(start + seconds * 1_000).toISOString();

const within = (durationMs: number) => new Deadline(durationMs, 'later');
const tenMinutes = () => within(10 * minuteMs);

/** The results of the writes after a time. */
async function passing(writes: Promise<string>[], durationMs = 20 * minuteMs): Promise<string[]> {
  await vi.advanceTimersByTimeAsync(durationMs);
  return Promise.all(writes);
}

describe('WriteQueue of a project that does not lock', () => {
  /** Queues `count` writes that the test finishes. */
  function queueOf(count: number) {
    const { queue } = new QueuedProject();
    const underWay: (() => void)[] = [];
    const sent: number[] = [];
    for (let name = 1; name <= count; name += 1) {
      const write = () =>
        new Promise<void>((end) => {
          sent.push(name);
          underWay.push(end);
        });
      void queue.run({ deadline: tenMinutes(), write, startedBy: () => [] });
    }
    const endOne = async () => {
      underWay.shift()?.();
      await vi.advanceTimersByTimeAsync(0);
      return underWay.length;
    };
    return { sent, underWay, endOne };
  }

  it('sends one write first, and after each success twice as many at a time, up to eight', async () => {
    const { underWay, endOne } = queueOf(30);
    const counts = [underWay.length];
    while (counts.length < 7) counts.push(await endOne());
    expect(counts).toEqual([1, 2, 4, 8, 8, 8, 8]);
  });

  it('sends the writes in the order in which they arrived', async () => {
    const { sent, endOne } = queueOf(30);
    while ((await endOne()) > 0);
    expect(sent).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  it('passes the error of a write to its caller, and sends the next one', async () => {
    const project = new QueuedProject();
    project.refuses = (name) => (name === 'first' ? refusal(409) : undefined);
    expect(await passing([project.write('first'), project.write('second')])).toEqual([
      'first failed at 0: POST /endpoints: 409 Conflict: conflicting operations',
      'second done at 0',
    ]);
  });

  it('does not increase its concurrency after a failed write', async () => {
    const { queue } = new QueuedProject();
    const failing = queue.run({
      deadline: tenMinutes(),
      write: () => Promise.reject(refusal(409)),
      startedBy: () => [],
    });
    await expect(failing).rejects.toThrow('409 Conflict');
    const write = vi.fn(() => new Promise(() => undefined));
    for (let count = 0; count < 5; count += 1)
      void queue.run({ deadline: tenMinutes(), write, startedBy: () => [] });
    expect(write).toHaveBeenCalledTimes(1);
  });

  it('reports when the latest write succeeded', async () => {
    const project = new QueuedProject();
    expect(project.queue.latestAt).toBe(0);
    await vi.advanceTimersByTimeAsync(5_000);
    await project.write('first');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(project.queue.latestAt).toBe(start + 5_000);
  });

  it('starts the deadline of a write when it leaves the queue', async () => {
    const { queue } = new QueuedProject();
    const write = () => new Promise((end) => setTimeout(end, 5_000));
    void queue.run({ deadline: tenMinutes(), write, startedBy: () => [] });
    const deadline = within(minuteMs);
    void queue.run({ deadline, write, startedBy: () => [] });
    await vi.advanceTimersByTimeAsync(7_000);
    expect(deadline.elapsedMs).toBe(2_000);
  });
});

describe('WriteQueue of a project that locks', () => {
  it('sends a refused write again when the operation that locks the project finishes', async () => {
    const project = new QueuedProject(running('op-7', 0, 3_450));
    expect(await passing([project.write('first')])).toEqual(['first done at 3500']);
    expect(project.sent).toEqual(['first at 0', 'first at 3500']);
  });

  it('reports the operations that lock the project', async () => {
    const project = new QueuedProject(running('op-7', 0, 350), running('op-8', 200, 450));
    const seen: string[] = [];
    const onLocked = (blocking: readonly Operation[]) => seen.push(blocking.map(({ id }) => id).join(' '));
    await passing([project.write('first', { onLocked })]);
    expect(seen).toEqual(['op-7', 'op-7', 'op-7 op-8', 'op-7 op-8', 'op-8']);
  });

  it('holds the writes that arrived later behind a refused one', async () => {
    const project = new QueuedProject(running('op-7', 0, 3_450));
    await passing(['first', 'second', 'third'].map((name) => project.write(name)));
    expect(project.sent).toEqual(['first at 0', 'first at 3500', 'second at 3500', 'third at 3500']);
  });

  it('sends writes that were refused concurrently in the order in which they arrived', async () => {
    const project = new QueuedProject(running('op-7', 1_000, 3_450));
    // Two successes: from here on, four at a time.
    await Promise.all([project.write('a'), project.write('b')]);
    await vi.advanceTimersByTimeAsync(1_000);
    const names = ['first', 'second', 'third', 'fourth', 'fifth'];
    await passing(names.map((name) => project.write(name)));
    expect(project.sent.slice(2, 6)).toEqual(names.slice(0, 4).map((name) => `${name} at 1000`));
    expect(project.sent.slice(6).map((each) => each.split(' ')[0])).toEqual(names);
  });

  it('sends one write at a time for the rest of the run', async () => {
    const project = new QueuedProject(running('op-7', 1_000, 2_000));
    await passing(
      ['a', 'b', 'c'].map((name) => project.write(name)),
      1_000,
    );
    await passing([project.write('first')]);
    let underWay = 0;
    const counts: number[] = [];
    const write = async () => {
      underWay += 1;
      counts.push(underWay);
      await new Promise((end) => setTimeout(end, 100));
      underWay -= 1;
    };
    for (let count = 0; count < 20; count += 1)
      void project.queue.run({ deadline: tenMinutes(), write, startedBy: () => [] });
    await vi.advanceTimersByTimeAsync(minuteMs);
    expect(counts).toEqual(Array(20).fill(1));
  });

  it('sends a write only when the operations of the previous write have finished', async () => {
    const project = new QueuedProject(running('op-7', 0, 1_000), running('op-8', 1_001, 5_450));
    const starts = [operationOf({ id: 'op-8' })];
    await passing([project.write('first', { starts }), project.write('second')]);
    expect(project.sent).toEqual(['first at 0', 'first at 1000', 'second at 5500']);
  });

  it('sends a write at once if the first poll shows no operation of the previous write', async () => {
    // The longest of the random pauses, which are only for a write that was refused.
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const project = new QueuedProject(running('op-7', 0, 1_000));
    const starts = [operationOf({ id: 'op-8' })];
    await passing([project.write('first', { starts }), project.write('second')]);
    expect(project.sent).toEqual(['first at 0', 'first at 1000', 'second at 1100']);
  });

  it('tries a write after half of its deadline if the earlier operations are unfinished', async () => {
    const project = new QueuedProject(running('op-7', 0, 1_000), running('op-8', 1_001, forever));
    project.refuses = (name) => (name === 'first' && now() < 1_000 ? refusal(423) : undefined);
    const starts = [operationOf({ id: 'op-8' })];
    await passing([
      project.write('first', { starts }),
      project.write('second', { deadline: within(20_000) }),
    ]);
    // The last poll of a wait comes right before its end.
    expect(project.sent).toEqual(['first at 0', 'first at 1000', 'second at 10500']);
  });

  it('retries a write after pauses that grow from 5 s to 30 s while an operation is unfinished', async () => {
    const project = new QueuedProject(running('op-7', 0, forever));
    void project.write('first');
    await vi.advanceTimersByTimeAsync(2 * minuteMs);
    // Pauses of 5, 7.5, 11.25, 16.9, 25.3 and 30 s, each less a twentieth, at most a second: its last poll comes before
    // its end.
    expect(project.sentAt.map((time) => Math.round(time / 100) / 10)).toEqual([
      0, 4.8, 11.9, 22.6, 38.6, 62.9, 91.9,
    ]);
  });

  it('retries a write after pauses that double up to 30 s while no operation is visible', async () => {
    // The longest of the random pauses.
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const project = new QueuedProject();
    project.refuses = () => refusal(423);
    void project.write('first');
    await vi.advanceTimersByTimeAsync(2 * minuteMs);
    const sentAt = [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500, 61_500, 91_500];
    expect(project.sentAt.map((time) => Math.floor(time / 100) * 100)).toEqual(sentAt);
  });

  it('fails with the error of a finally refused poll', async () => {
    const source: OperationSource = {
      listOperations: () => Promise.reject(refusal(403)),
      getOperation: () => Promise.reject(refusal(403)),
    };
    const write = new WriteQueue(new OperationPoller(source, 'p-1')).run({
      deadline: tenMinutes(),
      write: () => Promise.reject(refusal(423)),
      startedBy: () => [],
    });
    const ending = expect(write).rejects.toEqual(refusal(403));
    await vi.advanceTimersByTimeAsync(minuteMs);
    await ending;
  });
});

describe('WriteQueue of a project with an operation that never changes', () => {
  /** An operation that changed at 6 s and finishes at 9.05 s. */
  const changing = running('op-7', 0, 9_050, (ms) => ({ updated_at: ms < 6_000 ? timeOf(0) : timeOf(6) }));
  const lockUntil = (project: QueuedProject, untilMs: number) => {
    project.refuses = () => (now() < untilMs ? refusal(423) : undefined);
  };

  it('tries a write when the operation that still changed has finished', async () => {
    const project = new QueuedProject(zombie, changing);
    lockUntil(project, 9_050);
    expect(await passing([project.write('first')])).toEqual(['first done at 9050']);
    expect(project.sentAt).toEqual([0, 4_750, 9_050]);
  });

  it('tries a write after the pause if no operation changed', async () => {
    const project = new QueuedProject(zombie, running('op-7', 0, 9_050));
    lockUntil(project, 9_050);
    expect(await passing([project.write('first')])).toEqual(['first done at 11875']);
  });

  it('does not hold up the writes behind a refused one', async () => {
    const project = new QueuedProject(zombie);
    lockUntil(project, 1_000);
    const writes = ['first', 'second', 'third'].map((name) => project.write(name));
    await passing(writes);
    expect(project.sent).toEqual(['first at 0', 'first at 4750', 'second at 4750', 'third at 4750']);
  });

  it('no longer waits for it once a write was accepted while it was there', async () => {
    const project = new QueuedProject(zombie, running('op-7', 0, 1_000), running('op-8', 4_751, 5_250));
    lockUntil(project, 1_000);
    const starts = [operationOf({ id: 'op-8' })];
    await passing([project.write('first', { starts }), project.write('second')]);
    expect(project.sent).toEqual(['first at 0', 'first at 4750', 'second at 5250']);
  });
});

describe('WriteQueue of a project that stays locked', () => {
  // A twentieth of each deadline, at most 5 s, is left for the response to a last try.

  const locked = (...operations: ((ms: number) => Operation[])[]) =>
    new QueuedProject(...operations, running('op-7', 0, forever));
  const lastTried = 'POST /endpoints: 423 Locked (create_branch op-7 running); waited';
  const notSent = (waited: string) =>
    `The project is locked (create_branch op-7 running). An earlier write waited ${waited} without success, so this one did not wait. It changed nothing; run the same command again later.`;

  it('fails the first write right before its deadline, with the locking operations and the time waited', async () => {
    const project = locked();
    const error = await Promise.race([
      project.queue
        .run({ deadline: within(20_000), write: () => Promise.reject(refusal(423)), startedBy: () => [] })
        .catch((reason: unknown) => reason),
      vi.advanceTimersByTimeAsync(20_000),
    ]);
    expect(error).toBeInstanceOf(LockedError);
    expect(error).toMatchObject({ message: `${lastTried} 20 s`, cause: refusal(423) });
  });

  it.each([5_000, 20_000, 600_000])(
    'never sends a write so late that its deadline of %d ms would cut off the response',
    async (timeoutMs) => {
      const project = locked();
      const deadline = within(timeoutMs);
      // A twentieth of the deadline is left for it, at most 5 s.
      const responseMs = Math.min(5_000, timeoutMs / 20);
      const cutOff: number[] = [];
      const write = async () => {
        if (deadline.remainingMs < responseMs) cutOff.push(deadline.remainingMs);
        await new Promise((resolve) => setTimeout(resolve, responseMs));
        throw refusal(423);
      };
      const ending = project.queue
        .run({ deadline, write, startedBy: () => [] })
        .catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(2 * timeoutMs);
      expect(await ending).toBeInstanceOf(LockedError);
      expect(cutOff).toEqual([]);
    },
  );

  it('reserves 5 s of a deadline of ten minutes for the last attempt', async () => {
    expect(await passing([locked().write('first')])).toEqual([`first failed at 595000: ${lastTried} 600 s`]);
  });

  it("reports the service's reason if no operation is visible", async () => {
    // The longest random pauses: the last one leaves no time for another attempt.
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const project = new QueuedProject();
    project.refuses = () => refusal(423);
    expect(await passing([project.write('first', { deadline: within(20_000) })])).toEqual([
      'first failed at 19000: POST /endpoints: 423 Locked (conflicting operations); waited 20 s',
    ]);
  });

  it('fails the queued writes with the same or a shorter deadline, and never sends them', async () => {
    const project = locked();
    const writes = [
      project.write('first', { deadline: within(20_000) }),
      project.write('as long', { deadline: within(20_000) }),
      project.write('shorter', { deadline: within(5_000) }),
    ];
    expect(await passing(writes)).toEqual([
      `first failed at 19000: ${lastTried} 20 s`,
      `as long failed at 19000: ${notSent('20 s')}`,
      `shorter failed at 19000: ${notSent('20 s')}`,
    ]);
    expect(project.sent.filter((each) => !each.startsWith('first'))).toEqual([]);
  });

  it('keeps the queued writes with a longer deadline, for all of their time', async () => {
    const project = locked();
    const writes = [
      project.write('first', { deadline: within(20_000) }),
      project.write('longer', { deadline: within(minuteMs) }),
    ];
    expect(await passing(writes)).toEqual([
      `first failed at 19000: ${lastTried} 20 s`,
      `longer failed at 76000: ${lastTried} 60 s`,
    ]);
  });

  it('fails a later write after one attempt while the same unchanged operation locks the project', async () => {
    const project = locked();
    await passing([project.write('first', { deadline: within(20_000) })], minuteMs);
    const later = project.write('later', { deadline: within(20_000) });
    expect(await passing([later], minuteMs)).toEqual([`later failed at 60000: ${notSent('20 s')}`]);
    expect(project.sent.filter((each) => each.startsWith('later'))).toEqual(['later at 60000']);
  });

  it('lets a later write with a longer deadline wait', async () => {
    const project = locked();
    await passing([project.write('first', { deadline: within(20_000) })], minuteMs);
    const later = project.write('later', { deadline: within(30_000) });
    expect(await passing([later], minuteMs)).toEqual([`later failed at 88500: ${lastTried} 30 s`]);
  });

  it.each([
    ['another operation', running('op-8', 30_000, 70_050), 20_000],
    [
      'the same operation, which has changed since,',
      running('op-7', 0, 70_050, (ms) => ({ updated_at: timeOf(ms < 30_000 ? 0 : 30) })),
      forever,
    ],
  ])('lets a later write wait when %s locks the project', async (_what, operation, firstEndsMs) => {
    const project = new QueuedProject(running('op-6', 0, Math.min(firstEndsMs, 20_000)), operation);
    await passing([project.write('first', { deadline: within(20_000) })], minuteMs);
    const later = project.write('later', { deadline: within(20_000) });
    expect(await passing([later], minuteMs)).toEqual([expect.stringMatching(/^later done at 70[01]\d\d$/)]);
  });

  it('lets a later write wait after another write succeeded', async () => {
    const project = locked();
    await passing([project.write('first', { deadline: within(20_000) })], minuteMs);
    project.refuses = () => undefined;
    await passing([project.write('second')], minuteMs);
    project.refuses = () => refusal(423);
    const later = project.write('later', { deadline: within(20_000) });
    expect(await passing([later], minuteMs)).toEqual([`later failed at 139000: ${lastTried} 20 s`]);
  });
});
