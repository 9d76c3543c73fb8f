import { describe, expect, it, vi } from 'vitest';
import { useFakeClock, useShortestPauses } from '../../../tests/support/fake-clock';
import { Deadline } from './deadline';
import { NotSentError, RateLimiter, type RequestLimits } from './rate-limiter';

useFakeClock(0);
useShortestPauses();

const wide: RequestLimits = { perMinute: 1_000_000, perSecondOnRoute: 1_000 };

const toRequest = (route: string) => ({ route, isWrite: !route.startsWith('GET') });

/** When each of the requests is sent, in seconds; all are asked for at once. */
async function sendingTimes(limiter: RateLimiter, routes: readonly string[]): Promise<number[]> {
  const times = routes.map((route) => limiter.send(toRequest(route), async () => Date.now() / 1000));
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
    await limiter.send(toRequest('GET /a'), async () => undefined);
    await vi.advanceTimersByTimeAsync(50_000);
    expect(await sendingTimes(limiter, repeat(3, 'GET /a'))).toEqual([50, 60, 110]);
  });

  it('counts a request from its end, because it may have arrived only then', async () => {
    const limiter = new RateLimiter({ ...wide, perMinute: 2 });
    const respond = () => new Promise((resolve) => setTimeout(resolve, 5_000));
    const slow = limiter.send(toRequest('GET /a'), respond);
    const failing = limiter.send(toRequest('GET /a'), () => Promise.reject(new Error('reset')));
    await expect(failing).rejects.toThrow('reset');
    expect(await sendingTimes(limiter, repeat(3, 'GET /a'))).toEqual([60, 65, 120]);
    await slow;
  });

  it('keeps requests within the limit of a route in any second, while other routes continue', async () => {
    const limiter = new RateLimiter({ ...wide, perSecondOnRoute: 2 });
    const routes = [...repeat(5, 'POST /a'), 'POST /b'];
    expect(await sendingTimes(limiter, routes)).toEqual([0, 0, 1, 1, 2, 0]);
  });

  it('sends writes before reads that arrived earlier', async () => {
    const limiter = new RateLimiter({ ...wide, perMinute: 100 });
    const sent: string[] = [];
    limiter.backOff(5_000);
    const all = ['GET /a', 'POST /b', 'DELETE /b'].map((route) =>
      limiter.send(toRequest(route), async () => sent.push(route)),
    );
    await vi.advanceTimersByTimeAsync(60_000);
    await Promise.all(all);
    expect(sent).toEqual(['POST /b', 'DELETE /b', 'GET /a']);
  });

  it('sends a read before the writes that arrive more than 10 s later', async () => {
    const limiter = new RateLimiter({ ...wide, perMinute: 1 });
    const early = ['GET /a', 'POST /b', 'GET /a'].map((route) =>
      limiter.send(toRequest(route), async () => Date.now() / 1000),
    );
    await vi.advanceTimersByTimeAsync(11_000);
    const late = sendingTimes(limiter, ['POST /b']);
    expect([await late, await Promise.all(early)]).toEqual([[180], [0, 60, 120]]);
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

  it('sets one timer for all waiting requests', async () => {
    const limiter = new RateLimiter(wide);
    limiter.backOff(7_000);
    for (const route of repeat(5, 'GET /a')) void limiter.send(toRequest(route), async () => undefined);
    expect(vi.getTimerCount()).toBe(1);
  });

  it('splits a pause that exceeds the longest timer over two timers', async () => {
    const longestTimerMs = 2 ** 31 - 1;
    const setTimer = vi.spyOn(globalThis, 'setTimeout');
    const limiter = new RateLimiter(wide);
    limiter.backOff(longestTimerMs + 5_000);
    const sentAt = limiter.send(toRequest('GET /a'), async () => Date.now());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(setTimer.mock.calls.map(([, delayMs]) => delayMs)).toEqual([longestTimerMs]);
    await vi.advanceTimersByTimeAsync(longestTimerMs - 5_000);
    expect(setTimer.mock.calls.map(([, delayMs]) => delayMs)).toEqual([longestTimerMs, 5_000]);
    expect(await sentAt).toBe(longestTimerMs + 5_000);
  });
});

describe('RateLimiter with a share of the limit', () => {
  /** When a process that has sent so many requests at once, and was refused the next, sends further ones. Seconds. */
  async function timesAfterRefusal(sent: number, retryAfterMs: number, more: number): Promise<number[]> {
    const limiter = new RateLimiter({ perMinute: 100, perSecondOnRoute: 1_000 });
    await Promise.all(repeat(sent, 'GET /a').map((route) => limiter.send(toRequest(route), async () => 0)));
    limiter.backOff(retryAfterMs);
    return sendingTimes(limiter, repeat(more, 'GET /b'));
  }

  const countUntil = (times: readonly number[], second: number) =>
    times.filter((time) => time <= second).length;

  it('sends in the next minute less at once than the service accepted in this one, and then one at a time', async () => {
    const times = await timesAfterRefusal(40, 60_000, 140);
    expect(countUntil(times, 59.9)).toBe(0);
    // 85 % of 40 in one go, and then one by one, until the next minute.
    expect(countUntil(times, 61)).toBeGreaterThanOrEqual(34);
    expect(countUntil(times, 63)).toBeLessThan(40);
    expect(countUntil(times, 122) - countUntil(times, 119)).toBeGreaterThanOrEqual(26);
  });

  it('returns to the whole limit when no 429 follows', async () => {
    const limiter = new RateLimiter({ perMinute: 100, perSecondOnRoute: 1_000 });
    limiter.backOff(60_000);
    await vi.advanceTimersByTimeAsync(1_010_000);
    expect(await sendingTimes(limiter, repeat(100, 'GET /a'))).toEqual(Array(100).fill(1_010));
  });

  it('sends requests one by one after a short wait, and without pauses after a long one', async () => {
    const after = async (seconds: number) => {
      const times = await timesAfterRefusal(40, seconds * 1_000, 10);
      return (times.at(-1) ?? 0) - (times[0] ?? 0);
    };
    const [short, long] = [await after(2), await after(58)];
    expect(short).toBeGreaterThan(3);
    expect(long).toBeLessThan(short);
  });

  it('leaves a process that has just started 15 % of the limit at first', async () => {
    const times = await timesAfterRefusal(0, 1_000, 100);
    expect(countUntil(times, 60)).toBeGreaterThanOrEqual(14);
    expect(countUntil(times, 60)).toBeLessThan(25);
  });

  it('counts the refusals of requests that were under way together as one', async () => {
    const limiter = new RateLimiter({ perMinute: 100, perSecondOnRoute: 1_000 });
    await Promise.all(repeat(40, 'GET /a').map((route) => limiter.send(toRequest(route), async () => 0)));
    for (const seconds of [60, 60, 60]) limiter.backOff(seconds * 1_000);
    const times = await sendingTimes(limiter, repeat(100, 'GET /b'));
    expect(countUntil(times, 119)).toBeGreaterThanOrEqual(34);
  });

  it('takes less when responses become slow, without a pause', async () => {
    const limiter = new RateLimiter({ perMinute: 100, perSecondOnRoute: 1_000 });
    const respondAfter = (delayMs: number) => () =>
      new Promise<number>((resolve) => setTimeout(() => resolve(Date.now() / 1000), delayMs));
    for (const delayMs of [100, 5_000, 5_000, 5_000]) {
      const slow = limiter.send(toRequest('GET /a'), respondAfter(delayMs));
      await vi.advanceTimersByTimeAsync(delayMs);
      await slow;
    }
    const times = await sendingTimes(limiter, repeat(100, 'GET /b'));
    expect(countUntil(times, 16)).toBeGreaterThan(0);
    expect(countUntil(times, 60)).toBeLessThan(60);
  });
});

describe('RateLimiter with a deadline', () => {
  /** Waits for the rate limiter with a deadline of 2 s, and reports when and how that ended. */
  async function expiryOf(limiter: RateLimiter, deadline = new Deadline(2_000)) {
    const request = vi.fn(async () => 'sent');
    const ending = limiter
      .send({ ...toRequest('GET /a'), deadline }, request)
      .catch((error: unknown) => ({ error, at: Date.now() }));
    await vi.advanceTimersByTimeAsync(60_000);
    return { ending: await ending, sends: request.mock.calls.length };
  }

  it('rejects a request at its deadline during a pause, with the remaining pause', async () => {
    const limiter = new RateLimiter(wide);
    limiter.backOff(3_600_000);
    const error = new NotSentError('not sent: the service returned 429 and asked to wait; 3598 s remain');
    expect(await expiryOf(limiter)).toEqual({ ending: { error, at: 2_000 }, sends: 0 });
  });

  it('rejects a request at its deadline while the limit of the account is used up', async () => {
    const limiter = new RateLimiter({ ...wide, perMinute: 1 });
    await limiter.send(toRequest('GET /b'), async () => undefined);
    const error = new NotSentError('not sent before the deadline');
    expect(await expiryOf(limiter)).toEqual({ ending: { error, at: 2_000 }, sends: 0 });
  });

  it('rejects a request at its deadline while the requests under way use up the limit', async () => {
    const limiter = new RateLimiter({ ...wide, perMinute: 1 });
    void limiter.send(toRequest('GET /b'), () => new Promise(() => undefined));
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
    const patient = limiter.send({ ...toRequest('GET /a'), deadline: new Deadline(10_000) }, async () =>
      Date.now(),
    );
    const { ending } = await expiryOf(limiter);
    expect(ending).toMatchObject({ at: 2_000 });
    expect(await patient).toBe(5_000);
  });

  it('rejects a request that may not wait so long for a pause, and no other one', async () => {
    const limiter = new RateLimiter(wide);
    limiter.backOff(20_000);
    const send = (longestPauseMs: number) =>
      limiter.send({ ...toRequest('GET /a'), longestPauseMs }, async () => Date.now()).catch(String);
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
