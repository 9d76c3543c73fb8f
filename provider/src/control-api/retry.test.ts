import { describe, expect, it } from 'vitest';
import { maySendAgain, meaningOfFailure } from './failure-meaning';
import { retryDelayMs } from './retry';

describe('a failed request', () => {
  it.each([
    // status or network error, GET, POST/PATCH/DELETE
    [423, true, true],
    [429, true, true],
    [503, true, true],
    [500, true, false],
    [502, true, false],
    [504, true, false],
    ['ECONNRESET', true, false],
    ['ECONNABORTED', true, false],
    ['ETIMEDOUT', true, false],
    ['MALFORMED_ANSWER', true, false],
    ['ECONNREFUSED', true, true],
    ['ENOTFOUND', true, true],
    ['CERT_HAS_EXPIRED', false, false],
    [400, false, false],
    [401, false, false],
    [403, false, false],
    [404, false, false],
    [409, false, false],
    [422, false, false],
    [302, false, false],
  ])('with %s may be sent again: GET %s, a write %s', (failure, get, write) => {
    const meaning =
      typeof failure === 'number'
        ? meaningOfFailure(failure, undefined)
        : meaningOfFailure(undefined, failure);
    expect(maySendAgain('GET', meaning)).toBe(get);
    for (const method of ['POST', 'PATCH', 'DELETE']) expect(maySendAgain(method, meaning)).toBe(write);
  });
});

describe('the pause before the next try', () => {
  const pacing = { baseMs: 400, capMs: 15_000, unreachableMs: 20_000 };
  const sample = (attempt: number, retryAfterMs = 0) =>
    Array.from({ length: 200 }, () => retryDelayMs(attempt, retryAfterMs, pacing));

  it('is anywhere up to a bound that doubles', () => {
    expect(Math.max(...sample(1))).toBeLessThanOrEqual(400);
    expect(Math.max(...sample(3))).toBeGreaterThan(800);
    expect(Math.min(...sample(3))).toBeLessThan(800);
  });

  it('is never above the cap', () => {
    expect(Math.max(...sample(40))).toBeLessThanOrEqual(15_000);
  });

  it('is never shorter than the service asks for', () => {
    expect(Math.min(...sample(1, 7_000))).toBeGreaterThanOrEqual(7_000);
  });
});
