import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useFakeClock } from '../../../tests/support/fake-clock';
import { operationOf } from '../../../tests/support/operation';
import { ControlApiError } from '../control-api/control-api-error';
import { Deadline } from '../control-api/deadline';
import type { CallOptions } from '../control-api/retry';
import type { Operation } from '../control-api/wire-types';
import { OperationPoller, type OperationSource, type OperationsView, type Watch } from './operation-poller';

const start = Date.parse('2026-01-01T00:00:00Z');
const now = () => Date.now() - start;
const rarely = { shortestMs: 20_000, longestMs: 20_000 };

useFakeClock(start);

beforeEach(() => {
  // The shortest of the random pauses after a poll that failed.
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

const failure = (status: number, retryAfterMs = 0, isFromService = true) =>
  new ControlApiError({
    method: 'GET',
    path: '/operations',
    status,
    reason: 'busy',
    retryAfterMs,
    isFromService,
  });

const pause = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));

/** A project with an empty newest page by default. Records every request. */
function sourceOf(change: Partial<OperationSource> = {}) {
  const polls: { at: number; limit: number | undefined }[] = [];
  const asked: string[] = [];
  const options: (CallOptions | undefined)[] = [];
  const source: OperationSource = {
    async listOperations(projectId, page, callOptions) {
      polls.push({ at: now(), limit: page?.limit });
      options.push(callOptions);
      return change.listOperations?.(projectId, page, callOptions) ?? { operations: [] };
    },
    async getOperation(projectId, id, callOptions) {
      asked.push(id);
      options.push(callOptions);
      return change.getOperation?.(projectId, id, callOptions) ?? operationOf({ id });
    },
  };
  return { source, polls, asked, options, pollTimes: () => polls.map(({ at }) => at) };
}

/** A source whose lists fail with each of these in turn; undefined is a success. */
function failingWith(failures: (Error | undefined)[]) {
  return sourceOf({
    async listOperations() {
      const error = failures.shift();
      if (error) throw error;
      return { operations: [] };
    },
  });
}

/** Watches one running operation, for 10 s by default, and reports when the watch ended. */
function watchOf(change: Partial<Watch<string>> = {}): Watch<string> {
  return {
    operations: () => [operationOf()],
    deadline: new Deadline(10_000),
    judge: () => undefined,
    expire: () => `expired at ${now()}`,
    ...change,
  };
}

/** The results of watches within a time in milliseconds. */
async function endsOf(waits: Promise<string>[], durationMs = 10_000): Promise<string[]> {
  const ends = Promise.all(waits.map((wait) => wait.catch(String)));
  await vi.advanceTimersByTimeAsync(durationMs);
  return ends;
}

/** The view of the first poll. */
async function firstView(source: OperationSource, operations: Operation[]): Promise<OperationsView> {
  const views: OperationsView[] = [];
  const judge = (view: OperationsView) => {
    views.push(view);
    return 'seen';
  };
  const watch = watchOf({ judge, operations: () => operations });
  await endsOf([new OperationPoller(source, 'p-1').watch(watch)]);
  const [view] = views;
  if (!view) throw new Error('There was no poll.');
  return view;
}

describe('OperationPoller: a poll', () => {
  it.each([
    [1, 50],
    [300, 600],
    [800, 1_000],
  ])('for %d watched operations, lists the newest %d', async (count, limit) => {
    const { source, polls } = sourceOf();
    await firstView(
      source,
      Array.from({ length: count }, (_, index) => operationOf({ id: `op-${index}` })),
    );
    expect(polls.map((poll) => poll.limit)).toEqual([limit]);
  });

  it('finds operations on the newest page, and the others by their ids', async () => {
    const listed = operationOf({ status: 'finished' });
    const { source, asked } = sourceOf({ listOperations: async () => ({ operations: [listed] }) });
    const view = await firstView(source, [operationOf(), operationOf({ id: 'op-2' })]);
    expect([view.newest, view.find('op-1'), view.find('op-2')]).toEqual([
      [listed],
      listed,
      operationOf({ id: 'op-2' }),
    ]);
    expect(asked).toEqual(['op-2']);
  });

  it('does not find an operation that the service no longer has', async () => {
    const { source } = sourceOf({ getOperation: () => Promise.reject(failure(404)) });
    expect((await firstView(source, [operationOf()])).find('op-1')).toBeUndefined();
  });

  it.each([500, 403])('leaves an operation unchanged when the read by id fails with %d', async (status) => {
    const { source } = sourceOf({ getOperation: () => Promise.reject(failure(status)) });
    const known = operationOf({ status: 'scheduling' });
    expect((await firstView(source, [known])).find('op-1')).toBe(known);
  });

  it('sends each request once, within the longest deadline of the watches', async () => {
    const { source, options } = sourceOf();
    const poller = new OperationPoller(source, 'p-1');
    const longest = new Deadline(30_000);
    const judge = () => 'seen';
    await endsOf([
      poller.watch(watchOf({ judge })),
      poller.watch(watchOf({ judge, deadline: longest })),
      poller.watch(watchOf({ judge, deadline: new Deadline(5_000) })),
    ]);
    expect(options).toHaveLength(2);
    for (const each of options) {
      expect(each?.deadline).toBe(longest);
      expect(each?.isSentOnce).toBe(true);
    }
  });

  it('requests the operations of its own project', async () => {
    const asked: string[] = [];
    const source: OperationSource = {
      async listOperations(projectId) {
        asked.push(projectId);
        return { operations: [] };
      },
      async getOperation(projectId, id) {
        asked.push(projectId);
        return operationOf({ id });
      },
    };
    await firstView(source, [operationOf()]);
    expect(asked).toEqual(['p-1', 'p-1']);
  });
});

describe('OperationPoller: polls', () => {
  it('start at once for a watch without known operations, regardless of other watches', async () => {
    const { source, pollTimes } = sourceOf();
    const poller = new OperationPoller(source, 'p-1', rarely);
    const known = poller.watch(watchOf());
    const unknown = poller.watch(watchOf({ operations: () => [], judge: () => `judged at ${now()}` }));
    expect(await endsOf([known, unknown])).toEqual(['expired at 9500', 'judged at 0']);
    expect(pollTimes()).toEqual([0, 9_500]);
  });

  it.each([
    // A twentieth before the deadline, at most a second.
    [2_000, [1_900]],
    [30_000, [20_000, 29_000]],
  ])('include one right before a deadline of %d ms', async (timeoutMs, expected) => {
    const { source, pollTimes } = sourceOf();
    const watch = watchOf({ deadline: new Deadline(timeoutMs) });
    const [end] = await endsOf([new OperationPoller(source, 'p-1', rarely).watch(watch)], timeoutMs);
    expect([end, pollTimes()]).toEqual([`expired at ${expected.at(-1)}`, expected]);
  });

  it('are sent one after the other, even if a watch begins during one', async () => {
    let underWay = 0;
    const most: number[] = [];
    const { source } = sourceOf({
      async listOperations() {
        underWay += 1;
        most.push(underWay);
        await pause(1_000);
        underWay -= 1;
        return { operations: [] };
      },
    });
    const poller = new OperationPoller(source, 'p-1');
    const first = poller.watch(watchOf());
    await vi.advanceTimersByTimeAsync(500);
    const second = poller.watch(watchOf({ operations: () => [] }));
    await endsOf([first, second], 12_000);
    expect(Math.max(...most)).toBe(1);
  });

  it('stop with the last watch', async () => {
    const { source, pollTimes } = sourceOf();
    await endsOf([new OperationPoller(source, 'p-1').watch(watchOf({ judge: () => 'seen' }))], 1_000);
    expect(pollTimes()).toEqual([200]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('back off up to the longest interval while they fail', async () => {
    // The longest of the random pauses.
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const { source, pollTimes } = sourceOf({ listOperations: () => Promise.reject(failure(503)) });
    const watch = watchOf({ deadline: new Deadline(60_000) });
    await endsOf([new OperationPoller(source, 'p-1').watch(watch)], 60_000);
    expect(pollTimes().slice(0, 7)).toEqual([200, 600, 1_400, 3_000, 6_200, 11_200, 16_200]);
  });

  it('wait for Retry-After', async () => {
    const { source, pollTimes } = sourceOf({ listOperations: () => Promise.reject(failure(429, 7_000)) });
    await endsOf([new OperationPoller(source, 'p-1').watch(watchOf())]);
    expect(pollTimes()[1]).toBeGreaterThanOrEqual(7_200);
  });

  it('do not continue at once when Retry-After exceeds the longest timer', async () => {
    const { source, pollTimes } = sourceOf({ listOperations: () => Promise.reject(failure(503, 2 ** 31)) });
    const [end] = await endsOf([new OperationPoller(source, 'p-1').watch(watchOf())]);
    expect([end, pollTimes()]).toEqual(['expired at 10000', [200]]);
  });
});

describe('OperationPoller: a watch', () => {
  it.each([
    ["a proxy's 404", failure(404, 0, false), 'ControlApiError: GET /operations: 404 Not Found: busy'],
    ['a refusal', failure(403), 'ControlApiError: GET /operations: 403 Forbidden: busy'],
  ])('rejects after the third %s in a row for its operation', async (_what, error, end) => {
    const { source, asked } = sourceOf({ getOperation: () => Promise.reject(error) });
    expect(await endsOf([new OperationPoller(source, 'p-1').watch(watchOf())])).toEqual([end]);
    expect(asked).toHaveLength(3);
  });

  it('rejects at once when the read of its operation throws another error', async () => {
    const { source, asked } = sourceOf({ getOperation: () => Promise.reject(new TypeError('broken')) });
    const ends = await endsOf([new OperationPoller(source, 'p-1').watch(watchOf())]);
    expect([ends, asked.length]).toEqual([['TypeError: broken'], 1]);
  });

  it('continues when the operation of another watch cannot be read', async () => {
    const { source } = sourceOf({
      getOperation: async (_projectId, id) => {
        if (id === 'op-2') throw failure(403);
        return operationOf({ id });
      },
    });
    const poller = new OperationPoller(source, 'p-1');
    const other = watchOf({ operations: () => [operationOf({ id: 'op-2' })] });
    expect(await endsOf([poller.watch(watchOf()), poller.watch(other)])).toEqual([
      'expired at 9500',
      'ControlApiError: GET /operations: 403 Forbidden: busy',
    ]);
  });

  it.each([
    ['a response', async () => operationOf()],
    ['a failure that says nothing', () => Promise.reject(failure(500))],
  ])('restarts the count of refusals of its operation after %s', async (_what, between) => {
    const refuse = () => Promise.reject(failure(403));
    const responses = [refuse, refuse, between, refuse, refuse];
    const { source } = sourceOf({
      getOperation: () => responses.shift()?.() ?? Promise.resolve(operationOf()),
    });
    expect(await endsOf([new OperationPoller(source, 'p-1').watch(watchOf())])).toEqual(['expired at 9500']);
  });

  it.each([
    ['continues after one refusal', 1, 'expired at 9500'],
    ['continues after two refusals in a row', 2, 'expired at 9500'],
    ['ends with the third refusal in a row', 3, 'ControlApiError: GET /operations: 403 Forbidden: busy'],
  ])('%s', async (_fact, refusals, expected) => {
    const { source } = failingWith(Array.from({ length: refusals }, () => failure(403)));
    const poller = new OperationPoller(source, 'p-1');
    expect(await endsOf([poller.watch(watchOf()), poller.watch(watchOf())])).toEqual([expected, expected]);
  });

  it.each([
    ['a success', undefined],
    ['a failure of another kind', failure(503)],
  ])('restarts the count of refusals after %s', async (_what, between) => {
    const { source } = failingWith([failure(403), failure(403), between, failure(403), failure(403)]);
    const [end] = await endsOf([new OperationPoller(source, 'p-1').watch(watchOf())]);
    expect(end).toBe('expired at 9500');
  });

  it('rejects after the third refusal in a row, even after earlier watches did', async () => {
    const refusals = Array.from({ length: 6 }, () => failure(403));
    const { source, pollTimes } = failingWith(refusals);
    const poller = new OperationPoller(source, 'p-1');
    const refused = ['ControlApiError: GET /operations: 403 Forbidden: busy'];
    expect(await endsOf([poller.watch(watchOf())])).toEqual(refused);
    expect(await endsOf([poller.watch(watchOf({ deadline: new Deadline(10_000) }))])).toEqual(refused);
    expect(pollTimes()).toHaveLength(6);
  });

  it('rejects at once when a poll throws another error', async () => {
    const { source, pollTimes } = failingWith([new TypeError('broken')]);
    const ends = await endsOf([new OperationPoller(source, 'p-1').watch(watchOf())]);
    expect([ends, pollTimes()]).toEqual([['TypeError: broken'], [200]]);
  });

  it('expires at its deadline without a response, and is not judged later', async () => {
    const judge = vi.fn(() => 'judged');
    const { source } = sourceOf({
      async listOperations() {
        await pause(30_000);
        return { operations: [] };
      },
    });
    const ends = await endsOf([new OperationPoller(source, 'p-1').watch(watchOf({ judge }))], 60_000);
    expect(ends).toEqual(['expired at 10000']);
    expect(judge).not.toHaveBeenCalled();
  });

  it('rejects alone when its judge throws', async () => {
    const poller = new OperationPoller(sourceOf().source, 'p-1');
    const judge = () => {
      throw new Error('forgotten');
    };
    const failing = poller.watch(watchOf({ judge }));
    const other = poller.watch(watchOf({ judge: () => (now() > 2_000 ? 'seen' : undefined) }));
    expect(await endsOf([failing, other])).toEqual(['Error: forgotten', 'seen']);
  });
});
