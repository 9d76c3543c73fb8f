import { expect, it, onTestFinished, vi } from 'vitest';
import { Deadline } from './deadline';

function useClock(): void {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

it('runs from the start', () => {
  useClock();
  const deadline = new Deadline(1_000);
  vi.advanceTimersByTime(400);
  expect([deadline.elapsedMs, deadline.remainingMs, deadline.hasPassed]).toEqual([400, 600, false]);
  vi.advanceTimersByTime(700);
  expect([deadline.elapsedMs, deadline.remainingMs, deadline.hasPassed]).toEqual([1_100, 0, true]);
});

it('that begins later does not run before, and begins once', () => {
  useClock();
  const deadline = new Deadline(1_000, 'later');
  vi.advanceTimersByTime(5_000);
  expect([deadline.elapsedMs, deadline.remainingMs, deadline.hasPassed]).toEqual([0, 1_000, false]);
  deadline.begin();
  vi.advanceTimersByTime(300);
  deadline.begin();
  vi.advanceTimersByTime(300);
  expect([deadline.elapsedMs, deadline.remainingMs]).toEqual([600, 400]);
});
