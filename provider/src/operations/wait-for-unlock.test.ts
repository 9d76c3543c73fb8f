import { describe, expect, it, vi } from 'vitest';
import { now, useFakeClock, useShortestPauses } from '../../../tests/support/fake-clock';
import { operationOf } from '../../../tests/support/operation';
import {
  forever,
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
import type { Operation } from '../control-api/wire-types';
import { OperationPoller, type OperationSource } from './operation-poller';
import { LockedError } from './wait-for-unlock';
import { WriteQueue } from './write-queue';

useFakeClock();
useShortestPauses();

/** An operation that was left behind years ago. */
const zombie = running('op-0', 0, forever);

describe('WriteQueue of a project that locks', () => {
  it('sends a refused write again when the locking operation finishes', async () => {
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

  it("sends a write when the previous one's operations have finished", async () => {
    const project = new QueuedProject(running('op-7', 0, 1_000), running('op-8', 1_001, 5_450));
    const starts = [operationOf({ id: 'op-8' })];
    await passing([project.write('first', { starts }), project.write('second')]);
    expect(project.sent).toEqual(['first at 0', 'first at 1000', 'second at 5500']);
  });

  it('sends a write at once if the first poll shows no earlier operation', async () => {
    // The longest of the random pauses, which are only for a write that was refused.
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const project = new QueuedProject(running('op-7', 0, 1_000));
    const starts = [operationOf({ id: 'op-8' })];
    await passing([project.write('first', { starts }), project.write('second')]);
    expect(project.sent).toEqual(['first at 0', 'first at 1000', 'second at 1100']);
  });

  it('tries a write at half of its deadline while operations are unfinished', async () => {
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

  it('retries after pauses of 5 s to 30 s while an operation is unfinished', async () => {
    const project = new QueuedProject(running('op-7', 0, forever));
    void project.write('first');
    await vi.advanceTimersByTimeAsync(2 * minuteMs);
    // Pauses of 5, 7.5, 11.25, 16.9, 25.3 and 30 s, each less a twentieth, at most a second: its last poll comes before
    // its end.
    expect(project.sentAt.map((time) => Math.round(time / 100) / 10)).toEqual([
      0, 4.8, 11.9, 22.6, 38.6, 62.9, 91.9,
    ]);
  });

  it('pauses for at most an eighth of a short deadline', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const project = new QueuedProject();
    project.refuses = () => refusal(423);
    const ended = passing([project.write('first', { deadline: within(20_000) })]);
    await vi.advanceTimersByTimeAsync(20_000);
    await ended;
    // The last twentieth is for the response to the last attempt.
    const sentAt = [0, 500, 1_500, 3_500, 6_000, 8_500, 11_000];
    expect(project.sentAt.slice(0, 7).map((time) => Math.floor(time / 100) * 100)).toEqual(sentAt);
  });

  it('retries after pauses that double up to 30 s if no operation shows', async () => {
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
  const lockUntil = (project: QueuedProject, untilMs: number) => {
    project.refuses = () => (now() < untilMs ? refusal(423) : undefined);
  };

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

  it.each([
    ['no longer waits for it once a write was accepted while it was there', zombie, 5_250],
    [
      'waits for it again if it changes after that',
      (ms: number) =>
        (ms < 5_000 ? zombie : running('op-0', 0, 6_050, { updated_at: '2026-01-02T00:00:00Z' }))(ms),
      6_050,
    ],
  ])('%s', async (_title, old, sentAt) => {
    const project = new QueuedProject(old, running('op-7', 0, 1_000), running('op-8', 4_751, 5_250));
    lockUntil(project, 1_000);
    const starts = [operationOf({ id: 'op-8' })];
    await passing([project.write('first', { starts }), project.write('second')]);
    expect(project.sent).toEqual(['first at 0', 'first at 4750', `second at ${sentAt}`]);
  });
});

describe('WriteQueue of a project that stays locked', () => {
  it('fails right before its deadline, with operations and time waited', async () => {
    const project = lockedProject();
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
    'leaves a response time before its deadline of %d ms',
    async (timeoutMs) => {
      const project = lockedProject();
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

  it("reports the service's reason if no operation is visible", async () => {
    // The longest random pauses: the last one leaves no time for another attempt.
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const project = new QueuedProject();
    project.refuses = () => refusal(423);
    expect(await passing([project.write('first', { deadline: within(20_000) })])).toEqual([
      'first failed at 19000: POST /endpoints: 423 Locked (conflicting operations); waited 20 s',
    ]);
  });
});
