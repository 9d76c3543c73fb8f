import axios, { AxiosError, type AxiosRequestConfig } from 'axios';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useFakeClock } from '../../../tests/support/fake-clock';
import { Deadline } from './deadline';
import { defaultRetryPacing, installRetry, RequestContext } from './retry';
import { ServiceContact } from './service-contact';

const pacing = defaultRetryPacing;

describe('installRetry', () => {
  const start = Date.parse('2026-01-01T00:00:00Z');
  useFakeClock(start);

  interface Failure {
    readonly status?: number;
    readonly code?: string;
    readonly retryAfterSeconds?: number;
    /** Whether the service sent it. @default a proxy */
    readonly isOwn?: boolean;
  }

  interface Sending {
    readonly request?: AxiosRequestConfig;
    readonly context?: Partial<RequestContext> | 'none';
    readonly contact?: ServiceContact;
  }

  /** Sends a request, each try of which fails as stated for it, and reports when the tries went out. */
  async function sendTo(
    failureOf: (attempt: number, atMs: number) => Failure | undefined,
    { request, context = {}, contact = new ServiceContact() }: Sending = {},
  ) {
    const sentAt: number[] = [];
    const timeouts: (number | undefined)[] = [];
    const client = axios.create({
      transformResponse: [],
      adapter: async (config) => {
        // Each retry takes a timer of a millisecond besides its pause.
        const atMs = Math.floor((Date.now() - start) / 50) * 50;
        sentAt.push(atMs);
        timeouts.push(config.timeout);
        const { status, code, retryAfterSeconds, isOwn } = failureOf(sentAt.length, atMs) ?? { status: 200 };
        const headers = { ...(retryAfterSeconds && { 'retry-after': String(retryAfterSeconds) }) };
        const data = isOwn ? JSON.stringify({ code: '', message: 'unavailable' }) : '';
        const response = status && { status, headers, config, data, statusText: '' };
        if (status === 200 && response) return response;
        throw new AxiosError('no success', code, config, undefined, response || undefined);
      },
    });
    installRetry(client, pacing, contact);
    const complete = new RequestContext({ deadline: new Deadline(60_000) });
    const response = client.request({
      ...request,
      ...(context !== 'none' && { context: Object.assign(complete, context) }),
    });
    const ending = response.then(
      () => ({ ending: 'response', endedAt: Math.floor((Date.now() - start) / 50) * 50 }),
      (error: Error) => ({ ending: error.message, endedAt: Math.floor((Date.now() - start) / 50) * 50 }),
    );
    await vi.advanceTimersByTimeAsync(300_000);
    return { ...(await ending), sentAt, timeouts };
  }

  /** Sends a request whose first `failures` attempts fail. */
  const send = (failure: Failure, failures = 1, sending?: Sending) =>
    sendTo((attempt) => (attempt <= failures ? failure : undefined), sending);

  beforeEach(() => {
    // A pause is then half of its bound.
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
  });

  it('retries after pauses that double', async () => {
    const { ending, sentAt } = await send({ status: 503 }, 3);
    expect([ending, sentAt]).toEqual(['response', [0, 200, 600, 1_400]]);
  });

  it('repeats a GET after the page of a proxy, once the service answered', async () => {
    const contact = new ServiceContact();
    const page = { status: 404 };
    expect((await send(page, 1, { contact })).sentAt).toHaveLength(1);
    contact.noteOwn();
    expect((await send(page, 1, { contact })).sentAt).toHaveLength(2);
    expect((await send(page, 1, { contact, request: { method: 'POST' } })).sentAt).toHaveLength(1);
  });

  it('repeats a write after a 503 of the service, not of a proxy', async () => {
    const request = { method: 'PATCH' };
    expect((await send({ status: 503, isOwn: true }, 1, { request })).sentAt).toHaveLength(2);
    expect((await send({ status: 503 }, 1, { request })).sentAt).toHaveLength(1);
  });

  it.each([
    ['GET', 500, 2],
    ['POST', 500, 1],
    ['GET', 404, 1],
    // The write queue waits for the operations that lock the project.
    ['GET', 423, 1],
    ['POST', 423, 1],
  ])('sends a %s with status %d %d times', async (method, status, times) => {
    expect((await send({ status }, 1, { request: { method } })).sentAt).toHaveLength(times);
  });

  it('does not retry a request that is sent once', async () => {
    const { ending, sentAt } = await send({ status: 503 }, 1, { context: { isSentOnce: true } });
    expect([ending, sentAt]).toEqual(['no success', [0]]);
  });

  it('does not retry a request without a deadline', async () => {
    const { ending, sentAt } = await send({ status: 503 }, 1, { context: 'none' });
    expect([ending, sentAt]).toEqual(['no success', [0]]);
  });

  it('waits for Retry-After before it retries', async () => {
    expect((await send({ status: 429, retryAfterSeconds: 7 })).sentAt).toEqual([0, 7_200]);
  });

  it.each([
    [59, 2],
    [60, 1],
    [61, 1],
  ])('with Retry-After %d s and a deadline of 60 s, sends a request %d times', async (seconds, times) => {
    expect((await send({ status: 429, retryAfterSeconds: seconds })).sentAt).toHaveLength(times);
  });

  it('fails with the last response before a pause beyond the deadline', async () => {
    const context = { deadline: new Deadline(3_000) };
    const { ending, sentAt, endedAt } = await send({ status: 503 }, Number.POSITIVE_INFINITY, { context });
    expect([ending, sentAt, endedAt]).toEqual(['no success', [0, 200, 600, 1_400], 1_400]);
  });

  describe('for a call without a deadline of its own', () => {
    const patient = () => ({ context: { deadline: new Deadline(250_000), patienceMs: 90_000 } });

    it('gives up when faults last longer than the patience', async () => {
      const { ending, endedAt } = await send({ status: 503 }, Number.POSITIVE_INFINITY, patient());
      expect([ending, endedAt > 75_000, endedAt < 90_000]).toEqual(['no success', true, true]);
    });

    it('is patient again after a 429', async () => {
      const failureOf = (_attempt: number, atMs: number) => ({
        status: atMs > 60_000 && atMs < 80_000 ? 429 : 503,
      });
      const { endedAt } = await sendTo(failureOf, patient());
      expect(endedAt).toBeGreaterThan(140_000);
    });
  });

  it('gives each attempt the full time-out', async () => {
    const { timeouts } = await send({ status: 503 }, 2, { request: { timeout: 30_000 } });
    expect(timeouts).toEqual([30_000, 30_000, 30_000]);
  });

  describe('for an unreachable address', () => {
    const unreachable: Failure = { code: 'ECONNREFUSED' };
    const busy: Failure = { status: 503 };
    const patient = () => ({ context: { deadline: new Deadline(200_000) } });

    it('gives up after 20 s, because the address may be wrong', async () => {
      const { ending, sentAt } = await send(unreachable, Number.POSITIVE_INFINITY, patient());
      expect(ending).toBe('no success');
      expect(sentAt).toEqual([0, 200, 600, 1_400, 3_000, 6_200, 12_600, 20_100]);
    });

    it('gives up 20 s after the first failure to connect', async () => {
      const failureOf = (_attempt: number, atMs: number) => (atMs < 40_000 ? busy : unreachable);
      const { ending, sentAt } = await sendTo(failureOf, patient());
      expect(ending).toBe('no success');
      expect(sentAt.filter((atMs) => atMs > 20_000)).toEqual([
        20_100, 27_600, 35_100, 42_600, 50_100, 57_600, 65_100,
      ]);
    });

    it('retries for another 20 s after any response', async () => {
      const failureOf = (_attempt: number, atMs: number) =>
        atMs > 12_000 && atMs < 20_000 ? busy : unreachable;
      const { ending, sentAt } = await sendTo(failureOf, patient());
      expect(ending).toBe('no success');
      expect(sentAt.filter((atMs) => atMs > 12_000)).toEqual([12_600, 20_100, 27_600, 35_100, 42_600]);
    });
  });
});
