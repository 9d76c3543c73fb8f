import { range } from 'lodash';
import { describe, expect, it, vi } from 'vitest';
import { useFakeClock, useShortestPauses } from '../../../tests/support/fake-clock';
import { Deadline, pause } from './deadline';
import { RateLimiter } from './rate-limiter';

useFakeClock();
useShortestPauses();

const minuteMs = 60_000;

/** Sends requests of that route without end, so many at a time. Returns when each of them was sent. */
function sendForever(limiter: RateLimiter, route: string, count: number, respond: () => Promise<unknown>) {
  const sentAt: number[] = [];
  const work = async () => {
    for (;;)
      await limiter
        .send({ route, isWrite: !route.startsWith('GET') }, () => {
          sentAt.push(Date.now());
          return respond();
        })
        .catch(() => undefined);
  };
  for (const _worker of range(count)) void work();
  return sentAt;
}

/** Responds after each of those times in turn, again and again. Milliseconds. */
function respondAfter(times: readonly number[]) {
  let responses = 0;
  return () => pause(times[responses++ % times.length] ?? 0);
}

describe('a lone process at a service that refuses nothing', () => {
  it('keeps half of the limit if some responses of a route always take long', async () => {
    const sentAt = sendForever(
      new RateLimiter(),
      'GET /a',
      40,
      respondAfter([50, 50, 3_000, 3_000, 3_000, 3_000]),
    );
    await vi.advanceTimersByTimeAsync(20 * minuteMs);
    const since = Date.now() - minuteMs;
    expect(sentAt.filter((at) => at > since).length).toBeGreaterThan(300);
  });

  it('returns to half of the limit after a 429 although responses stay slow at times', async () => {
    const limiter = new RateLimiter();
    limiter.backOff(1_000);
    const sentAt = sendForever(limiter, 'GET /a', 40, respondAfter([50, 50, 3_000, 3_000, 3_000, 3_000]));
    await vi.advanceTimersByTimeAsync(15 * minuteMs);
    const since = Date.now() - minuteMs;
    expect(sentAt.filter((at) => at > since).length).toBeGreaterThan(300);
  });

  it('keeps the whole limit if creates take long and a locked project refuses some at once', async () => {
    const respond = respondAfter([10, 20_000, 20_000, 20_000]);
    let requests = 0;
    const limiter = new RateLimiter();
    sendForever(limiter, 'POST /a', 40, async () => {
      const isLocked = requests++ % 4 === 0;
      await respond();
      if (isLocked) throw new Error('423');
    });
    await vi.advanceTimersByTimeAsync(5 * minuteMs);
    const before = Date.now();
    const sentAt = sendForever(limiter, 'GET /b', 40, () => pause(10));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sentAt.filter((at) => at < before + 20_000).length).toBeGreaterThan(300);
  });
});

describe('a queued request', () => {
  it.each(['GET', 'POST'])('is sent although other requests never stop: %s', async (method) => {
    const limiter = new RateLimiter({ perMinute: 60, perSecondOnRoute: 40 });
    const [first = '', second = ''] = method === 'GET' ? ['POST /a', 'GET /a'] : ['GET /a', 'POST /a'];
    sendForever(limiter, first, 200, () => pause(50));
    await vi.advanceTimersByTimeAsync(minuteMs / 2);
    const sentAt = sendForever(limiter, second, 1, () => pause(50));
    await vi.advanceTimersByTimeAsync(5 * minuteMs);
    expect(sentAt).not.toEqual([]);
  });

  it('that reads goes between the writes that queued up before it, when it has waited for 10 s', async () => {
    const limiter = new RateLimiter({ perMinute: 60, perSecondOnRoute: 40 });
    sendForever(limiter, 'POST /a', 300, () => pause(50));
    // The minute's requests are used up at once: the next room is there after a minute.
    await vi.advanceTimersByTimeAsync(1_000);
    const sentAt = sendForever(limiter, 'GET /a', 1, () => pause(50));
    await vi.advanceTimersByTimeAsync(minuteMs);
    expect(sentAt).not.toEqual([]);
  });

  it.each([-1, 1])('is not affected by a clock that is set by %i h', async (hours) => {
    const limiter = new RateLimiter({ perMinute: 1, perSecondOnRoute: 40 });
    await limiter.send({ route: 'GET /a', isWrite: false }, async () => undefined);
    const deadline = new Deadline(2 * minuteMs);
    const sentAt = limiter.send({ route: 'GET /a', isWrite: false, deadline }, async () => performance.now());
    const start = performance.now();
    vi.setSystemTime(Date.now() + hours * 60 * minuteMs);
    await vi.advanceTimersByTimeAsync(3 * minuteMs);
    expect((await sentAt) - start).toBe(minuteMs);
  });
});
