import axios, { AxiosError, type AxiosRequestConfig } from 'axios';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadline } from './deadline';
import { defaultRetryPacing, installRetry, retryDelayMs } from './retry';

const pacing = defaultRetryPacing;

describe('the pause before the next try', () => {
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

describe('a failed request', () => {
  const start = Date.parse('2026-01-01T00:00:00Z');

  interface Failure {
    readonly status?: number;
    readonly code?: string;
    readonly retryAfterSeconds?: number;
  }

  /** Sends a request that fails so many times with this failure, and says when each try went out. */
  async function send(
    failure: Failure,
    request: AxiosRequestConfig = {},
    failures = 1,
    deadline: Deadline | null = new Deadline(60_000),
  ) {
    const sentAt: number[] = [];
    const timeouts: (number | undefined)[] = [];
    const client = axios.create({
      adapter: async (config) => {
        sentAt.push(Date.now() - start);
        timeouts.push(config.timeout);
        const { status, code, retryAfterSeconds } = sentAt.length <= failures ? failure : { status: 200 };
        const headers = { ...(retryAfterSeconds && { 'retry-after': String(retryAfterSeconds) }) };
        const response = status && { status, headers, config, data: '', statusText: '' };
        if (status === 200 && response) return response;
        throw new AxiosError('no success', code, config, undefined, response || undefined);
      },
    });
    installRetry(client, pacing);
    const answer = client.request({ ...request, ...(deadline && { deadline }) });
    const ending = answer.then(
      () => 'answered',
      (error: Error) => error.message,
    );
    await vi.advanceTimersByTimeAsync(120_000);
    return { ending: await ending, sentAt, timeouts };
  }

  beforeEach(() => {
    vi.useFakeTimers({ now: start });
    // A pause is then half of its bound.
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
  });

  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('is sent again after pauses that double', async () => {
    const { ending, sentAt } = await send({ status: 503 }, {}, 3);
    expect([ending, sentAt]).toEqual(['answered', [0, 200, 600, 1_400]]);
  });

  it.each([
    ['GET', 503, 2],
    ['POST', 503, 2],
    ['GET', 500, 2],
    ['POST', 500, 1],
    ['GET', 404, 1],
    // The write lane waits for the operations that lock the project.
    ['GET', 423, 1],
    ['POST', 423, 1],
  ])('%s that failed with %d is sent %d times', async (method, status, times) => {
    expect((await send({ status }, { method })).sentAt).toHaveLength(times);
  });

  it('that has no deadline is sent once', async () => {
    const { ending, sentAt } = await send({ status: 503 }, {}, 1, null);
    expect([ending, sentAt]).toEqual(['no success', [0]]);
  });

  it('is sent again no sooner than the service asks for', async () => {
    expect((await send({ status: 429, retryAfterSeconds: 7 })).sentAt).toEqual([0, 7_200]);
  });

  it.each([59, 60, 61])(
    'that may go again after %d s goes again only before the deadline of 60 s',
    async (s) => {
      const { sentAt } = await send({ status: 429, retryAfterSeconds: s });
      expect(sentAt).toHaveLength(s < 60 ? 2 : 1);
    },
  );

  it('is sent until the deadline while the service answers that it is busy', async () => {
    const { ending, sentAt } = await send({ status: 503 }, {}, Number.POSITIVE_INFINITY);
    expect(ending).toBe('no success');
    expect(sentAt.at(-1)).toBeGreaterThan(50_000);
  });

  it('is given up sooner where nothing answers: the address may be wrong', async () => {
    const { ending, sentAt } = await send({ code: 'ECONNREFUSED' }, {}, Number.POSITIVE_INFINITY);
    expect(ending).toBe('no success');
    expect(sentAt.at(-1)).toBeGreaterThan(20_000);
    expect(sentAt.at(-1)).toBeLessThan(30_000);
  });

  it('has the whole time-out again each time', async () => {
    const { timeouts } = await send({ status: 503 }, { timeout: 30_000 }, 2);
    expect(timeouts).toEqual([30_000, 30_000, 30_000]);
  });
});
