import { expect, it } from 'vitest';
import type { Operation } from '../control-api/wire-types';
import { durationOf, formatDate, formatDuration } from './duration';

const seconds = 1_000;
const hours = 3_600 * seconds;

it.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [2_340, '2.3 s'],
  [9_949, '9.9 s'],
  [9_960, '10 s'],
  [59.4 * seconds, '59 s'],
  [59.6 * seconds, '1 min 0 s'],
  [125 * seconds, '2 min 5 s'],
  [3_599.7 * seconds, '1 h 0 min'],
  [1.05 * hours, '1 h 3 min'],
  [23.999 * hours, '1 d 0 h'],
  [52 * hours, '2 d 4 h'],
])('%d ms reads %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

function operationOf(change: Partial<Operation>): Operation {
  return {
    id: 'op-1',
    project_id: 'p-1',
    action: 'start_compute',
    status: 'finished',
    failures_count: 0,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:03Z',
    ...change,
  };
}

const tenSecondsLater = Date.parse('2026-01-01T00:00:10Z');

it('an ended operation took what the service says', () => {
  expect(durationOf(operationOf({ total_duration_ms: 2_500 }), tenSecondsLater)).toBe(2_500);
});

it('an ended operation took until its last update when the service does not say', () => {
  expect(durationOf(operationOf({}), tenSecondsLater)).toBe(3_000);
});

it('an unfinished operation takes until now', () => {
  expect(durationOf(operationOf({ status: 'running', total_duration_ms: 5 }), tenSecondsLater)).toBe(10_000);
});

it('no duration is negative, also when the clocks differ', () => {
  const operation = operationOf({ status: 'running', created_at: '2026-01-01T00:01:00Z' });
  expect(durationOf(operation, tenSecondsLater)).toBe(0);
});

it('an operation without readable timestamps has no duration', () => {
  expect(durationOf(operationOf({ created_at: 'yesterday' }), tenSecondsLater)).toBeUndefined();
});

it('a date is UTC and goes to the second', () => {
  expect(formatDate('2026-01-31T12:00:05.123456+02:00')).toBe('2026-01-31 10:00:05Z');
});

it('a date that is not readable stays as it is', () => {
  expect(formatDate('yesterday')).toBe('yesterday');
});
