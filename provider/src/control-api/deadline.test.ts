import { describe, expect, it, vi } from 'vitest';
import { useFakeClock } from '../../../tests/support/fake-clock';
import { Deadline, describeSeconds, toTimerMs } from './deadline';

useFakeClock();

const after = <Result>(delayMs: number, result: Result) =>
  new Promise<Result>((resolve) => setTimeout(resolve, delayMs, result));

describe('Deadline', () => {
  it('starts its clock at once', () => {
    const deadline = new Deadline(1_000);
    vi.advanceTimersByTime(400);
    expect([deadline.elapsedMs, deadline.remainingMs, deadline.hasPassed]).toEqual([400, 600, false]);
    vi.advanceTimersByTime(700);
    expect([deadline.elapsedMs, deadline.remainingMs, deadline.hasPassed]).toEqual([1_100, 0, true]);
  });

  it('starts a later clock with begin, once', () => {
    const deadline = new Deadline(1_000, 'later');
    vi.advanceTimersByTime(5_000);
    expect([deadline.elapsedMs, deadline.remainingMs, deadline.hasPassed]).toEqual([0, 1_000, false]);
    deadline.begin();
    vi.advanceTimersByTime(300);
    deadline.begin();
    vi.advanceTimersByTime(300);
    expect([deadline.elapsedMs, deadline.remainingMs]).toEqual([600, 400]);
  });
});

describe('the clock of a Deadline', () => {
  it.each([1, -1])('does not move when the system clock is set by %i h', (hours) => {
    const deadline = new Deadline(1_000);
    vi.advanceTimersByTime(400);
    vi.setSystemTime(Date.now() + hours * 3_600_000);
    expect([deadline.elapsedMs, deadline.remainingMs]).toEqual([400, 600]);
  });

  it('has passed when less than 1 ms is left: a timer may fire so early', () => {
    const deadline = new Deadline(1_000);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 999.3);
    expect([deadline.remainingMs, deadline.hasPassed]).toEqual([0, true]);
  });
});

describe('Deadline.bound', () => {
  /** The result of the bound work, and when it arrived. */
  async function endOf(work: Promise<string>, deadline = new Deadline(2_000)) {
    const startedAt = Date.now();
    const ending = deadline.bound(work, 'list of the endpoints').then(
      (result) => [result, Date.now() - startedAt],
      (error: Error) => [error.message, Date.now() - startedAt],
    );
    await vi.advanceTimersByTimeAsync(60_000);
    return ending;
  }

  it('rejects like work that fails before the deadline', async () => {
    expect(await endOf(Promise.reject(new Error('403 Forbidden')))).toEqual(['403 Forbidden', 0]);
  });

  it('grants only the time that remains', async () => {
    const deadline = new Deadline(2_000);
    vi.advanceTimersByTime(1_500);
    const message = 'list of the endpoints: no response within 2 s';
    expect(await endOf(after(5_000, 'listed'), deadline)).toEqual([message, 500]);
  });

  it('leaves no timer behind when the work finishes first', async () => {
    await new Deadline(600_000).bound(Promise.resolve('listed'), 'list of the endpoints');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not reject at once when the deadline exceeds the longest timer', async () => {
    expect(await endOf(after(50_000, 'listed'), new Deadline(2 ** 31))).toEqual(['listed', 50_000]);
  });
});

it.each([
  [0, 0],
  [-5, 0],
  [2_500, 2_500],
  [2 ** 31 - 1, 2 ** 31 - 1],
  [2 ** 31, 2 ** 31 - 1],
  [Number.POSITIVE_INFINITY, 2 ** 31 - 1],
])('toTimerMs limits a delay of %d ms to %d ms', (delayMs, timerMs) => {
  expect(toTimerMs(delayMs)).toBe(timerMs);
});

it.each([
  [0, '0 s'],
  [300, '0.3 s'],
  [960, '1 s'],
  [1_000, '1 s'],
  [1_540, '2 s'],
  [61_400, '61 s'],
  [600_000, '600 s'],
])('describeSeconds formats %d ms as %s', (durationMs, text) => {
  expect(describeSeconds(durationMs)).toBe(text);
});
