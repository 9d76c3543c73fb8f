import { describe, expect, it, vi } from 'vitest';
import { useFakeClock, useShortestPauses } from '../../../tests/support/fake-clock';
import {
  lastTried,
  lockedProject,
  minuteMs,
  passing,
  QueuedProject,
  refusal,
  running,
  tenMinutes,
  within,
} from '../../../tests/support/queued-project';

useFakeClock();
useShortestPauses();

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

  it('sends one write first, then twice as many at a time, up to eight', async () => {
    const { underWay, endOne } = queueOf(30);
    const counts = [underWay.length];
    while (counts.length < 7) counts.push(await endOne());
    expect(counts).toEqual([1, 2, 4, 8, 8, 8, 8]);
  });

  it('passes the error of a write to its caller, and sends the next one', async () => {
    const project = new QueuedProject();
    project.refuses = (name) => (name === 'first' ? refusal(409) : undefined);
    expect(await passing([project.write('first'), project.write('second')])).toEqual([
      'first failed at 0: POST /endpoints: 409 Conflict: conflicting operations',
      'second done at 0',
    ]);
  });

  it('reports when the latest write succeeded', async () => {
    const project = new QueuedProject();
    expect(project.queue.latestAt).toBe(Number.NEGATIVE_INFINITY);
    await vi.advanceTimersByTimeAsync(5_000);
    await project.write('first');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(project.queue.latestAt).toBe(5_000);
  });

  it('reports a write that may have been done, not one that was locked', async () => {
    const project = new QueuedProject();
    await vi.advanceTimersByTimeAsync(5_000);
    project.refuses = () => refusal(500);
    await project.write('lost');
    expect(project.queue.latestAt).toBe(5_000);
    project.refuses = () => refusal(423);
    void project.write('locked');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(project.queue.latestAt).toBe(5_000);
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
  it('holds the writes that arrived later behind a refused one', async () => {
    const project = new QueuedProject(running('op-7', 0, 3_450));
    await passing(['first', 'second', 'third'].map((name) => project.write(name)));
    expect(project.sent).toEqual(['first at 0', 'first at 3500', 'second at 3500', 'third at 3500']);
  });

  it('sends refused writes in the order in which they arrived', async () => {
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
});

describe('WriteQueue of a project that stays locked', () => {
  const notSent = (waited: string) =>
    `The project is locked (create_branch op-7 running). An earlier write waited ${waited} without success, so this one did not wait. Run the same command again later.`;

  it('fails queued writes of the same or a shorter deadline unsent', async () => {
    const project = lockedProject();
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

  it('tries a later write once while the project stays locked', async () => {
    const project = lockedProject();
    await passing([project.write('first', { deadline: within(20_000) })], minuteMs);
    const later = project.write('later', { deadline: within(20_000) });
    expect(await passing([later], minuteMs)).toEqual([`later failed at 60000: ${notSent('20 s')}`]);
    expect(project.sent.filter((each) => each.startsWith('later'))).toEqual(['later at 60000']);
  });

  it('lets a later write with a longer deadline wait', async () => {
    const project = lockedProject();
    await passing([project.write('first', { deadline: within(20_000) })], minuteMs);
    const later = project.write('later', { deadline: within(30_000) });
    expect(await passing([later], minuteMs)).toEqual([`later failed at 88500: ${lastTried} 30 s`]);
  });

  it('lets a later write wait after another write succeeded', async () => {
    const project = lockedProject();
    await passing([project.write('first', { deadline: within(20_000) })], minuteMs);
    project.refuses = () => undefined;
    await passing([project.write('second')], minuteMs);
    project.refuses = () => refusal(423);
    const later = project.write('later', { deadline: within(20_000) });
    expect(await passing([later], minuteMs)).toEqual([`later failed at 139000: ${lastTried} 20 s`]);
  });
});
