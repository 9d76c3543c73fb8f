import { sum, times } from 'lodash';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { RateLimiter as ServiceLimiter } from '../../emulator/src/http/rate-limiter';
import { pause } from '../../provider/src/control-api/deadline';
import { RateLimiter } from '../../provider/src/control-api/rate-limiter';
import { defaultRetryPacing, retryDelayMs } from '../../provider/src/control-api/retry';
import { useFakeClock } from '../support/fake-clock';
import { Randomness } from './seeded-randomness';

useFakeClock();

const perMinute = 700;
const minuteMs = 60_000;

beforeEach(() => {
  const randomness = new Randomness(1);
  vi.spyOn(Math, 'random').mockImplementation(() => randomness.next());
});

/** Handles a request: returns the seconds of Retry-After, or 0 if it accepts the request. */
type Service = () => number | Promise<number>;

/** Refuses what exceeds the limit in any minute, as the emulator does. */
function refusingService(): Service {
  const limiter = new ServiceLimiter(perMinute);
  return () => limiter.take();
}

/** Refuses what exceeds an even rate, but for bursts of 60. */
function evenService(): Service {
  const burst = 60;
  let tokens = burst;
  let filledAt = Date.now();
  return () => {
    tokens = Math.min(burst, tokens + ((Date.now() - filledAt) * perMinute) / minuteMs);
    filledAt = Date.now();
    if (tokens < 1) return 1;
    tokens -= 1;
    return 0;
  };
}

/** Refuses nothing, and handles one request after the other. */
function queueingService(): Service {
  let freeAt = 0;
  return async () => {
    freeAt = Math.max(freeAt, Date.now()) + minuteMs / perMinute;
    await pause(freeAt - Date.now());
    return 0;
  };
}

interface Process {
  /** When the service accepted each of its requests. */
  readonly acceptedAt: number[];
  readonly tookMs: number[];
  refused: number;
}

/** A process that always has four requests to send at a time, as many as `pulumi up` has for each core. */
function startProcess(service: Service, concurrency = 4): Process {
  const limiter = new RateLimiter();
  const process: Process = { acceptedAt: [], tookMs: [], refused: 0 };
  const latency = () => pause(25 + 50 * Math.random());
  const attempt = () =>
    limiter.send({ route: 'POST /a', isWrite: true }, async () => {
      const sentAt = Date.now();
      await latency();
      const retryAfterMs = (await service()) * 1_000;
      if (retryAfterMs === 0) process.acceptedAt.push(Date.now());
      await latency();
      process.tookMs.push(Date.now() - sentAt);
      if (retryAfterMs === 0) return 0;
      process.refused += 1;
      limiter.backOff(retryAfterMs);
      return retryAfterMs;
    });
  const work = async () => {
    for (let tries = 1; ; tries += 1) {
      const retryAfterMs = await attempt();
      if (retryAfterMs === 0) tries = 0;
      else await pause(retryDelayMs(tries, retryAfterMs, defaultRetryPacing));
    }
  };
  for (const _worker of times(concurrency)) void work();
  return process;
}

const passMinutes = (minutes: number) => vi.advanceTimersByTimeAsync(minutes * minuteMs);

/** Jain's index: 1 if all have the same, 1/N if one has everything. */
function fairness(shares: readonly number[]): number {
  return sum(shares) ** 2 / (shares.length * sum(shares.map((share) => share ** 2)));
}

/** What each process sent since a time. */
const sentSince = (processes: readonly Process[], since: number) =>
  processes.map(({ acceptedAt }) => acceptedAt.filter((at) => at >= since).length);

const shareOfRefusals = (processes: readonly Process[]) => {
  const refused = sum(processes.map((process) => process.refused));
  return refused / (refused + sum(sentSince(processes, 0)));
};

describe('processes on one account, which know nothing of each other', () => {
  it.each([2, 5, 10])('%i of them share the limit, waste little and are rarely refused', async (count) => {
    const service = refusingService();
    const processes = times(count, () => startProcess(service));
    const minutes = 10;
    await passMinutes(minutes);
    const sent = sentSince(processes, 0);
    expect(sum(sent)).toBeGreaterThanOrEqual((minutes * perMinute) / 1.15);
    expect(fairness(sent)).toBeGreaterThanOrEqual(0.9);
    expect(shareOfRefusals(processes)).toBeLessThanOrEqual(0.02);
  });

  it('a lone process is never refused and uses the whole limit', async () => {
    const process = startProcess(refusingService());
    await passMinutes(5.5);
    expect(process.refused).toBe(0);
    expect(process.acceptedAt.length).toBeGreaterThanOrEqual(5 * perMinute);
  });

  it.each([1, 9])('one that starts later gets its share beside %i others', async (count) => {
    const service = refusingService();
    const early = times(count, () => startProcess(service));
    await passMinutes(3);
    const processes = [...early, startProcess(service)];
    await passMinutes(8);
    const since = Date.now();
    await passMinutes(6);
    expect(fairness(sentSince(processes, since))).toBeGreaterThanOrEqual(0.9);
  });

  it('the other one uses the whole limit again some minutes after one has ended', async () => {
    const service = refusingService();
    const endsAt = Date.now() + 3 * minuteMs;
    const never = new Promise<number>(() => undefined);
    const [first, second] = [
      startProcess(service),
      startProcess(() => (Date.now() < endsAt ? service() : never)),
    ];
    await passMinutes(15);
    const since = Date.now();
    await passMinutes(2);
    expect(sentSince([first, second], since)).toEqual([expect.closeTo(2 * perMinute, -2), 0]);
  });

  it('they also share a limit that leaves little room for bursts', async () => {
    const service = evenService();
    const processes = times(5, () => startProcess(service));
    await passMinutes(10);
    const sent = sentSince(processes, 0);
    expect(sum(sent)).toBeGreaterThanOrEqual((10 * perMinute) / 1.15);
    expect(fairness(sent)).toBeGreaterThanOrEqual(0.9);
    expect(shareOfRefusals(processes)).toBeLessThanOrEqual(0.02);
  });

  it('they send less to a service that becomes slow instead of refusing requests', async () => {
    const service = queueingService();
    // Without a reaction, eighty requests that are always under way would take 7 s each.
    const processes = times(2, () => startProcess(service, 40));
    await passMinutes(2);
    expect(Math.max(...processes.flatMap(({ tookMs }) => tookMs.slice(-10)))).toBeLessThan(4_000);
  });
});
