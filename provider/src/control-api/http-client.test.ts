import { setTimeout as sleep } from 'node:timers/promises';
import axios, { AxiosError } from 'axios';
import { range } from 'lodash';
import { describe, expect, it, vi } from 'vitest';
import { now, useFakeClock, useShortestPauses } from '../../../tests/support/fake-clock';
import { ControlApi } from './control-api';

useFakeClock();
useShortestPauses();

interface Answer {
  /** Undefined: the connection is closed. */
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  readonly isBrokenOff?: boolean;
  /** @default 0 */
  readonly afterMs?: number;
  /** @default JSON without the fields of the service's errors */
  readonly body?: string;
}

/** A client whose requests get those answers, or else 404. */
function connect(requestsPerMinute: number, answersOf: Readonly<Record<string, readonly Answer[]>>) {
  const sent: { readonly id: string; readonly at: number }[] = [];
  vi.spyOn(axios, 'getAdapter').mockReturnValue(async (config) => {
    const id = config.url?.split('/').at(-1) ?? '';
    const tries = sent.filter((each) => each.id === id).length;
    sent.push({ id, at: now() / 1_000 });
    const {
      status,
      retryAfterSeconds = 0,
      isBrokenOff,
      afterMs = 0,
      body = '{}',
    } = answersOf[id]?.[tries] ?? { status: 404 };
    if (afterMs > 0) await sleep(afterMs);
    if (status === undefined) throw new AxiosError('socket hang up', 'ECONNRESET', config);
    const headers = { 'retry-after': String(retryAfterSeconds), 'content-type': 'application/json' };
    const response = { status, statusText: '', headers, config, data: body };
    const code = isBrokenOff ? 'ERR_BAD_RESPONSE' : 'ERR_BAD_REQUEST';
    throw new AxiosError('no success', code, config, undefined, response);
  });
  const api = new ControlApi({ baseUrl: 'http://127.0.0.1:9', apiKey: 'key', requestsPerMinute });
  /** How and when a read ends. */
  const read = (id: string) =>
    api.getBranch('p-1', id).catch(({ message }: Error) => `${message.split(': ')[1]} at ${now() / 1_000} s`);
  const timesOf = (id: string) => sent.filter((each) => each.id === id).map(({ at }) => at);
  return { read, timesOf };
}

describe('a read without a deadline of its own', () => {
  it('queues its first request without limit, a further one for 600 s', async () => {
    const { read, timesOf } = connect(1, { first: [{ status: 503 }] });
    const reads = Promise.all(['first', ...range(15).map(String)].map(read));
    await vi.advanceTimersByTimeAsync(1_000_000);
    const endings = await reads;
    expect(endings[0]).toBe('not sent before the deadline at 600 s');
    expect(endings.at(-1)).toBe('404 Not Found at 900 s');
    expect(timesOf('first')).toEqual([0]);
  });

  it('fails at once during a pause of more than 90 s', async () => {
    const { read } = connect(700, { refused: [{ status: 429, retryAfterSeconds: 100 }] });
    const refused = read('refused');
    await vi.advanceTimersByTimeAsync(1_000);
    const later = read('later');
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect(await refused).toBe('429 Too Many Requests at 0 s');
    expect(await later).toBe('not sent at 1 s');
  });

  it('waits as long as a 429 asks that breaks off', async () => {
    const refusal = { status: 429, retryAfterSeconds: 5, isBrokenOff: true };
    const { read, timesOf } = connect(700, { refused: [refusal] });
    const refused = read('refused');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await refused).toMatch(/^404/);
    expect(timesOf('refused')[1]).toBeGreaterThanOrEqual(5);
  });

  it('has 90 s for faults, in which the time in the queue does not count', async () => {
    const { read, timesOf } = connect(1, { first: [{ status: 503 }, { status: 503 }] });
    const reads = Promise.all(['first', '1', '2'].map(read));
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect((await reads)[0]).toBe('404 Not Found at 240 s');
    expect(timesOf('first')).toEqual([0, 180, 240]);
  });

  it('has 20 s for an unreachable address, without the time in the queue', async () => {
    const { read, timesOf } = connect(1, { first: [{}, {}] });
    const reads = Promise.all(['first', '1', '2'].map(read));
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect((await reads)[0]).toBe('404 Not Found at 240 s');
    expect(timesOf('first')).toEqual([0, 180, 240]);
  });

  it('does not take an address for unreachable because a response is slow', async () => {
    const { read } = connect(700, { first: [{}, { afterMs: 25_000 }] });
    const first = read('first');
    await vi.advanceTimersByTimeAsync(100_000);
    expect(await first).toMatch(/^404 Not Found at 25/);
  });

  it.each([
    ['breaks off', 2, { isBrokenOff: true }],
    ['has a part of its JSON', 2, { body: '{"code":"NOT_FO' }],
    ['is complete', 1, {}],
    ['is empty', 1, { body: '' }],
  ])('that gets a refusal that %s is sent %d times', async (_what, times, refusal) => {
    const { read, timesOf } = connect(700, { first: [{ status: 404, ...refusal }, { status: 403 }] });
    const first = read('first');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await first).toMatch(times > 1 ? /^403 Forbidden/ : /^404 Not Found/);
    expect(timesOf('first')).toHaveLength(times);
  });
});
