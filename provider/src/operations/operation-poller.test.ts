import { describe, expect, it, vi } from 'vitest';
import { now, useFakeClock, useShortestPauses } from '../../../tests/support/fake-clock';
import { operationOf } from '../../../tests/support/operation';
import { endsOf, failure, pause, sourceOf, watchOf } from '../../../tests/support/polled-project';
import { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { OperationPoller, type OperationSource, type OperationsView } from './operation-poller';

const rarely = { shortestMs: 20_000, longestMs: 20_000 };

useFakeClock();
useShortestPauses();

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
});

describe('OperationPoller: polls', () => {
  it('start at once for a watch without known operations', async () => {
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

  it('are not put off by a watch that begins later', async () => {
    const { source, pollTimes } = sourceOf();
    const poller = new OperationPoller(source, 'p-1');
    const first = poller.watch(watchOf({ judge: () => 'seen' }));
    await vi.advanceTimersByTimeAsync(400);
    const second = poller.watch(
      watchOf({ judge: () => 'seen', operations: () => [operationOf({ id: 'op-2' })] }),
    );
    await endsOf([first, second], 1_000);
    expect(pollTimes()[0]).toBe(480);
  });

  it('are planned anew for the first watch after the last one', async () => {
    const { source, pollTimes } = sourceOf();
    const poller = new OperationPoller(source, 'p-1');
    await endsOf([poller.watch(watchOf({ judge: () => 'seen' }))], 5_000);
    await endsOf([
      poller.watch(watchOf({ judge: () => 'seen', operations: () => [operationOf({ id: 'op-2' })] })),
    ]);
    expect(pollTimes()).toEqual([480, 5_480]);
  });

  it.each([
    ['a result', 500, [480]],
    ['an interruption', 460, []],
  ])('stop when the last watch ends with %s', async (_what, interruptedAt, expected) => {
    const { source, pollTimes } = sourceOf();
    const interruption = new AbortController();
    const deadline = new Deadline(10_000, 'now', interruption.signal);
    const watching = new OperationPoller(source, 'p-1').watch(watchOf({ deadline, judge: () => 'seen' }));
    setTimeout(() => interruption.abort(), interruptedAt);
    await endsOf([watching], 1_000);
    expect(pollTimes()).toEqual(expected);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('back off up to the longest interval while they fail', async () => {
    // The longest of the random pauses.
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const { source, pollTimes } = sourceOf({ listOperations: () => Promise.reject(failure(503)) });
    const watch = watchOf({ deadline: new Deadline(60_000) });
    await endsOf([new OperationPoller(source, 'p-1').watch(watch)], 60_000);
    expect(pollTimes().slice(0, 7)).toEqual([480, 960, 1_920, 3_840, 7_680, 12_680, 17_680]);
  });

  it('wait for Retry-After', async () => {
    const { source, pollTimes } = sourceOf({ listOperations: () => Promise.reject(failure(429, 7_000)) });
    await endsOf([new OperationPoller(source, 'p-1').watch(watchOf())]);
    expect(pollTimes()[1]).toBeGreaterThanOrEqual(7_480);
  });
});
