import { describe, expect, it, vi } from 'vitest';
import { useFakeClock, useShortestPauses } from '../../../tests/support/fake-clock';
import { Deadline } from './deadline';
import { NotSentError, RateLimiter, type RequestLimits } from './rate-limiter';

useFakeClock(0);
useShortestPauses();

const wide: RequestLimits = { perMinute: 1_000_000, perSecondOnRoute: 1_000 };

/** When each of the requests is sent, in seconds; all are asked for at once. */
async function sendingTimes(limiter: RateLimiter, routes: readonly string[]): Promise<number[]> {
  const times = routes.map((route) => limiter.send({ route }, async () => Date.now() / 1000));
  await vi.advanceTimersByTimeAsync(600_000);
  return Promise.all(times);
}

const repeat = (count: number, route: string) => Array.from({ length: count }, () => route);

describe('RateLimiter', () => {
  it('sends requests within the limits at once', async () => {
    const times = await sendingTimes(new RateLimiter(), repeat(40, 'GET /a'));
    expect(new Set(times)).toEqual(new Set([0]));
  });

  it('keeps requests within the limit of the account in any minute', async () => {
    const limiter = new RateLimiter({ ...wide, perMinute: 10 });
    expect(await sendingTimes(limiter, repeat(25, 'GET /a'))).toEqual([
      ...Array(10).fill(0),
      ...Array(10).fill(60),
      ...Array(5).fill(120),
    ]);
  });

  it('counts the minute from each request, not from fixed points', async () => {
    const limiter = new RateLimiter({ ...wide, perMinute: 2 });
    await limiter.send({ route: 'GET /a' }, async () => undefined);
    await vi.advanceTimersByTimeAsync(50_000);
    expect(await sendingTimes(limiter, repeat(3, 'GET /a'))).toEqual([50, 60, 110]);
  });

  it('counts a request from its end, because it may have arrived only then', async () => {
    const limiter = new RateLimiter({ ...wide, perMinute: 2 });
    const respond = () => new Promise((resolve) => setTimeout(resolve, 5_000));
    const slow = limiter.send({ route: 'GET /a' }, respond);
    const failing = limiter.send({ route: 'GET /a' }, () => Promise.reject(new Error('reset')));
    await expect(failing).rejects.toThrow('reset');
    expect(await sendingTimes(limiter, repeat(3, 'GET /a'))).toEqual([60, 65, 120]);
    await slow;
  });

  it('bounds the requests of a route in any second; other routes continue', async () => {
    const limiter = new RateLimiter({ ...wide, perSecondOnRoute: 2 });
    const routes = [...repeat(5, 'POST /a'), 'POST /b'];
    expect(await sendingTimes(limiter, routes)).toEqual([0, 0, 1, 1, 2, 0]);
  });

  it('sends requests in the order in which they came', async () => {
    const limiter = new RateLimiter({ ...wide, perMinute: 1 });
    expect(await sendingTimes(limiter, ['GET /a', 'POST /b', 'GET /a'])).toEqual([0, 60, 120]);
  });

  it.each([-1, 1])('is not affected by a clock that is set by %i h', async (hours) => {
    const limiter = new RateLimiter({ ...wide, perMinute: 1 });
    const times = repeat(2, 'GET /a').map((route) => limiter.send({ route }, async () => performance.now()));
    vi.setSystemTime(Date.now() + hours * 3_600_000);
    await vi.advanceTimersByTimeAsync(600_000);
    const [first = 0, second = 0] = await Promise.all(times);
    expect(second - first).toBe(60_000);
  });
});

describe('RateLimiter after a 429', () => {
  it('sends nothing for as long as the service asks', async () => {
    const limiter = new RateLimiter(wide);
    limiter.backOff(7_000);
    limiter.backOff(0);
    expect(await sendingTimes(limiter, ['GET /a'])).toEqual([7]);
  });

  it('pauses for 1 s after a 429 without Retry-After', async () => {
    const limiter = new RateLimiter(wide);
    limiter.backOff(0);
    expect(await sendingTimes(limiter, ['GET /a'])).toEqual([1]);
  });

  it('reports the beginning of a long pause', () => {
    const report = vi.fn();
    const limiter = new RateLimiter(wide, report);
    for (const pauseMs of [0, 60_000, 60_000]) limiter.backOff(pauseMs);
    expect(report.mock.calls).toEqual([[60_000]]);
  });

  it('sets one timer for all waiting requests', async () => {
    const limiter = new RateLimiter(wide);
    limiter.backOff(7_000);
    for (const route of repeat(5, 'GET /a')) void limiter.send({ route }, async () => undefined);
    expect(vi.getTimerCount()).toBe(1);
  });

  it('splits a pause that exceeds the longest timer over two timers', async () => {
    const longestTimerMs = 2 ** 31 - 1;
    const setTimer = vi.spyOn(globalThis, 'setTimeout');
    const limiter = new RateLimiter(wide);
    limiter.backOff(longestTimerMs + 5_000);
    const sentAt = limiter.send({ route: 'GET /a' }, async () => Date.now());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(setTimer.mock.calls.map(([, delayMs]) => delayMs)).toEqual([longestTimerMs]);
    await vi.advanceTimersByTimeAsync(longestTimerMs - 5_000);
    expect(setTimer.mock.calls.map(([, delayMs]) => delayMs)).toEqual([longestTimerMs, 5_000]);
    expect(await sentAt).toBe(longestTimerMs + 5_000);
  });
});

describe('RateLimiter with a deadline', () => {
  /** Waits for the rate limiter with a deadline of 2 s, and reports when and how that ended. */
  async function expiryOf(limiter: RateLimiter, deadline = new Deadline(2_000)) {
    const request = vi.fn(async () => 'sent');
    const ending = limiter
      .send({ route: 'GET /a', deadline }, request)
      .catch((error: unknown) => ({ error, at: Date.now() }));
    await vi.advanceTimersByTimeAsync(60_000);
    return { ending: await ending, sends: request.mock.calls.length };
  }

  it('rejects at its deadline during a pause, with the remaining pause', async () => {
    const limiter = new RateLimiter(wide);
    limiter.backOff(3_600_000);
    const error = new NotSentError('not sent: the service returned 429 and asked to wait; 3598 s remain');
    expect(await expiryOf(limiter)).toEqual({ ending: { error, at: 2_000 }, sends: 0 });
  });

  it("rejects at its deadline while the account's limit is used up", async () => {
    const limiter = new RateLimiter({ ...wide, perMinute: 1 });
    await limiter.send({ route: 'GET /b' }, async () => undefined);
    const error = new NotSentError('not sent before the deadline');
    expect(await expiryOf(limiter)).toEqual({ ending: { error, at: 2_000 }, sends: 0 });
  });

  it('never sends a request after its deadline', async () => {
    const error = new NotSentError('not sent before the deadline');
    const { ending, sends } = await expiryOf(new RateLimiter(wide), new Deadline(0));
    expect([ending, sends]).toEqual([{ error, at: 0 }, 0]);
  });

  it('rejects only the requests whose deadline passes during a pause', async () => {
    const limiter = new RateLimiter(wide);
    limiter.backOff(5_000);
    const patient = limiter.send({ route: 'GET /a', deadline: new Deadline(10_000) }, async () => Date.now());
    const { ending } = await expiryOf(limiter);
    expect(ending).toMatchObject({ at: 2_000 });
    expect(await patient).toBe(5_000);
  });

  it('rejects only a request that may not wait so long for a pause', async () => {
    const limiter = new RateLimiter(wide);
    limiter.backOff(20_000);
    const send = (longestPauseMs: number) =>
      limiter.send({ route: 'GET /a', longestPauseMs }, async () => Date.now()).catch(String);
    const both = Promise.all([send(10_000), send(30_000)]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await both).toEqual([
      'NotSentError: not sent: the service returned 429 and asked to wait; 20 s remain',
      20_000,
    ]);
  });

  it('does not reject a request whose deadline has not started', async () => {
    const limiter = new RateLimiter(wide);
    limiter.backOff(1_000);
    const { ending } = await expiryOf(limiter, new Deadline(2_000, 'later'));
    expect(ending).toBe('sent');
  });
});
