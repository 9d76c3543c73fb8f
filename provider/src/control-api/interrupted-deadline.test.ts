import { describe, expect, it, vi } from 'vitest';
import { useFakeClock } from '../../../tests/support/fake-clock';
import { Deadline, pause } from './deadline';

useFakeClock();

/** A deadline, and the function that interrupts it. */
function interruptible(totalMs: number) {
  const interruption = new AbortController();
  return {
    deadline: new Deadline(totalMs, 'now', interruption.signal),
    interrupt: () => interruption.abort(),
  };
}

describe('an interrupted Deadline', () => {
  it('has passed, and so have those that it makes', () => {
    const { deadline, interrupt } = interruptible(1_000);
    const next = deadline.next(9_000);
    expect([deadline.isInterrupted, next.remainingMs]).toEqual([false, 9_000]);
    interrupt();
    expect([deadline.isInterrupted, deadline.remainingMs, deadline.hasPassed]).toEqual([true, 0, true]);
    expect([next.hasPassed, deadline.next(9_000).hasPassed]).toEqual([true, true]);
  });

  it('ends a pause, which otherwise ends with the deadline', async () => {
    const { deadline, interrupt } = interruptible(1_000);
    const interrupted = deadline.pause(5_000);
    interrupt();
    await interrupted;
    const bounded = interruptible(1_000).deadline.pause(5_000);
    await vi.advanceTimersByTimeAsync(1_000);
    await bounded;
  });

  it('calls back once, unless that was prevented', () => {
    const { deadline, interrupt } = interruptible(1_000);
    const [called, prevented] = [vi.fn(), vi.fn()];
    deadline.onEnd(called);
    deadline.onEnd(prevented)();
    interrupt();
    vi.advanceTimersByTime(2_000);
    expect([called.mock.calls.length, prevented.mock.calls.length]).toEqual([1, 0]);
  });

  it('rejects bound work in a word', async () => {
    const { deadline, interrupt } = interruptible(1_000);
    const bound = deadline.bound(new Promise(() => {}), 'list of the endpoints');
    interrupt();
    await expect(bound).rejects.toThrow('list of the endpoints: interrupted');
  });

  it('ends a pause that begins after the interruption', async () => {
    const paused = pause(5_000, AbortSignal.abort());
    await vi.advanceTimersByTimeAsync(1);
    await paused;
  });
});
