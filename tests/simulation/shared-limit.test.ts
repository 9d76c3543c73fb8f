import { sum, times } from 'lodash';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { RateLimiter as ServiceLimiter } from '../../emulator/src/http/rate-limiter';
import { pause } from '../../provider/src/control-api/deadline';
import { RateLimiter } from '../../provider/src/control-api/rate-limiter';
import { defaultRetryPacing, retryDelayMs } from '../../provider/src/control-api/retry';
import { useFakeClock } from '../support/fake-clock';
import { Randomness } from './time/seeded-randomness';

useFakeClock();

const perMinute = 700;
const minuteMs = 60_000;

beforeEach(() => {
  const randomness = new Randomness(1);
  vi.spyOn(Math, 'random').mockImplementation(() => randomness.next());
});

/** Handles a request: returns the seconds of Retry-After, or 0 if it accepts the request. */
type Service = () => number;

/** Refuses what exceeds the limit in any minute, as the emulator does. */
function refusingService(): Service {
  const limiter = new ServiceLimiter(perMinute);
  return () => limiter.take();
}

interface Process {
  /** When the service accepted each of its requests. */
  readonly acceptedAt: number[];
  refused: number;
}

/** As many as `pulumi up` has for each core. */
const concurrency = 4;

/** A process that always has so many requests to send at a time. */
function startProcess(service: Service): Process {
  const limiter = new RateLimiter();
  const process: Process = { acceptedAt: [], refused: 0 };
  const latency = () => pause(25 + 50 * Math.random());
  const attempt = () =>
    limiter.send({ route: 'POST /a' }, async () => {
      await latency();
      const retryAfterMs = service() * 1_000;
      if (retryAfterMs === 0) process.acceptedAt.push(Date.now());
      await latency();
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
  it.each([2, 10])('%i of them share the limit, waste little and are rarely refused', async (count) => {
    const service = refusingService();
    const processes = times(count, () => startProcess(service));
    await passMinutes(10);
    const sent = sentSince(processes, 0);
    expect(sum(sent)).toBeGreaterThanOrEqual((10 * perMinute) / 1.15);
    expect(fairness(sent)).toBeGreaterThanOrEqual(0.9);
    expect(shareOfRefusals(processes)).toBeLessThanOrEqual(0.06);
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
});
