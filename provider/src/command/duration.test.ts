import { expect, it } from 'vitest';
import { operationOf } from '../../../tests/support/operation';
import type { Operation } from '../control-api/wire-types';
import { durationOf, formatDate, formatDuration } from './duration';

const seconds = 1_000;
const hours = 3_600 * seconds;

it.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1 s'],
  [2_340, '2.3 s'],
  [9_949, '9.9 s'],
  [9_960, '10 s'],
  [59.4 * seconds, '59 s'],
  [59.6 * seconds, '1 min'],
  [125 * seconds, '2 min 5 s'],
  [3_599.7 * seconds, '1 h'],
  [1.05 * hours, '1 h 3 min'],
  [23.999 * hours, '1 d'],
  [52 * hours, '2 d 4 h'],
])('formats a duration of %d ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

const finishedOf = (change: Partial<Operation> = {}) =>
  operationOf({ status: 'finished', updated_at: '2026-01-01T00:00:03Z', ...change });

const tenSecondsLater = Date.parse('2026-01-01T00:00:10Z');

it('takes the duration of a finished operation from the service', () => {
  expect(durationOf(finishedOf({ total_duration_ms: 2_500 }), tenSecondsLater)).toBe(2_500);
});

it('measures a finished operation without a duration to its last update', () => {
  expect(durationOf(finishedOf(), tenSecondsLater)).toBe(3_000);
});

it('measures an unfinished operation until now', () => {
  expect(durationOf(operationOf({ status: 'running', total_duration_ms: 5 }), tenSecondsLater)).toBe(10_000);
});

it('shows no negative duration, even if the clocks differ', () => {
  const operation = operationOf({ status: 'running', created_at: '2026-01-01T00:01:00Z' });
  expect(durationOf(operation, tenSecondsLater)).toBe(0);
});

it('shows no duration if a timestamp is unreadable', () => {
  expect(durationOf(finishedOf({ created_at: 'yesterday' }), tenSecondsLater)).toBeUndefined();
});

it('formats a date in UTC, to the second', () => {
  expect(formatDate('2026-01-31T12:00:05.123456+02:00')).toBe('2026-01-31 10:00:05Z');
});

it('leaves an unreadable date as it is', () => {
  expect(formatDate('yesterday')).toBe('yesterday');
});
