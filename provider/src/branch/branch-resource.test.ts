import { describe, expect, it } from 'vitest';
import { isBecomingReady } from './branch-resource';

describe('isBecomingReady', () => {
  it.each([
    ['init', true],
    ['ready', false],
    // Its data is there, whatever it is on its way to.
    ['archived', false],
    ['resetting', false],
  ])('of a branch in state %s is %s', (current_state, expected) => {
    expect(isBecomingReady({ current_state })).toBe(expected);
  });
});
