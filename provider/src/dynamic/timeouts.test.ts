import { describe, expect, it } from 'vitest';
import { unknownValue } from '../lifecycle/input-values';
import { findTimeoutFailures, toDeadline } from './timeouts';

describe('findTimeoutFailures', () => {
  it.each([
    [{ create: -1 }, /^create must be a number of seconds above 0/],
    [{ create: 0 }, /^create must be a number of seconds above 0/],
    [{ delete: 86_401 }, /^delete must be a number of seconds above 0, at most 86400/],
    [{ destroy: 5 }, /create, update and delete/],
    [60, /must be an object with any of create, update and delete/],
  ])('refuses %j', (timeouts, reason) => {
    expect(findTimeoutFailures(timeouts)).toEqual([
      { property: 'timeouts', reason: expect.stringMatching(reason) },
    ]);
  });

  it.each([undefined, {}, { create: 30, delete: 0.5 }, unknownValue, { create: unknownValue }])(
    'accepts %j',
    (timeouts) => {
      expect(findTimeoutFailures(timeouts)).toEqual([]);
    },
  );
});

it('toDeadline takes the seconds of the action, otherwise 600', () => {
  expect(toDeadline({ create: 0.5 }, 'create').totalMs).toBe(500);
  expect(toDeadline({ create: 0.5 }, 'update').totalMs).toBe(600_000);
  expect(toDeadline(undefined, 'delete').totalMs).toBe(600_000);
});
