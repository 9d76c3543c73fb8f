import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { operationOf } from '../../../tests/fixtures/operation';
import { ControlApiError } from '../control-api/control-api-error';
import { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { OperationPoller, type OperationSource, type OperationsView, type Watch } from './operation-poller';

const start = Date.parse('2026-01-01T00:00:00Z');
const now = () => Date.now() - start;
const rarely = { shortestMs: 20_000, longestMs: 20_000 };

const failure = (status: number, retryAfterMs = 0) =>
  new ControlApiError({ method: 'GET', path: '/operations', status, reason: 'busy', retryAfterMs });

/** A project whose newest page is empty, and which notes every look. */
function sourceOf(change: Partial<OperationSource> = {}) {
  const looks: { at: number; limit: number | undefined }[] = [];
  const asked: string[] = [];
  const source: OperationSource = {
    async listOperations(projectId, query, deadline) {
      looks.push({ at: now(), limit: query?.limit });
      return change.listOperations?.(projectId, query, deadline) ?? { operations: [] };
    },
    async getOperation(projectId, id, deadline) {
      asked.push(id);
      return change.getOperation?.(projectId, id, deadline) ?? operationOf({ id });
    },
  };
  return { source, looks, asked, looksAt: () => looks.map(({ at }) => at) };
}

/** Who waits for one running operation for ten seconds, unless told otherwise, and says when that ended. */
function watchOf(change: Partial<Watch<string>> = {}): Watch<string> {
  return {
    operations: () => [operationOf()],
    deadline: new Deadline(10_000),
    judge: () => undefined,
    expire: () => `expired at ${now()}`,
    ...change,
  };
}

/** The view of the first look. */
async function firstView(source: OperationSource, operations: Operation[]): Promise<OperationsView> {
  const views: OperationsView[] = [];
  const judge = (view: OperationsView) => {
    views.push(view);
    return 'seen';
  };
  const ending = new OperationPoller(source, 'p-1').watch(watchOf({ judge, operations: () => operations }));
  await vi.advanceTimersByTimeAsync(10_000);
  await ending;
  const [view] = views;
  if (!view) throw new Error('There was no look.');
  return view;
}

beforeEach(() => {
  vi.useFakeTimers({ now: start });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a look', () => {
  it.each([
    [1, 50],
    [300, 600],
    [800, 1_000],
  ])('for %d operations asks for the newest %d', async (count, limit) => {
    const { source, looks } = sourceOf();
    await firstView(
      source,
      Array.from({ length: count }, (_, index) => operationOf({ id: `op-${index}` })),
    );
    expect(looks.map((look) => look.limit)).toEqual([limit]);
  });

  it('takes from the newest page what is on it, and asks for the others by their ids', async () => {
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

  it('does not find what the service has forgotten', async () => {
    const { source } = sourceOf({ getOperation: () => Promise.reject(failure(404)) });
    expect((await firstView(source, [operationOf()])).find('op-1')).toBeUndefined();
  });

  it.each([
    ['made again after an answer that says nothing', failure(500), 'expired'],
    ['the end of the wait after a refusal', failure(403), '403 Forbidden'],
    ['the end of the wait after an error of another kind', new TypeError('broken'), 'broken'],
  ])('for an id is %s', async (_, error, ending) => {
    const { source } = sourceOf({ getOperation: () => Promise.reject(error) });
    const ended = new OperationPoller(source, 'p-1').watch(watchOf()).catch(String);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await ended).toContain(ending);
  });
});

describe('looks come', () => {
  it('at once for who knows of no operation yet, whoever else waits', async () => {
    const { source, looksAt } = sourceOf();
    const poller = new OperationPoller(source, 'p-1', rarely);
    const known = poller.watch(watchOf());
    const unknown = poller.watch(watchOf({ operations: () => [], judge: () => `judged at ${now()}` }));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await Promise.all([known, unknown])).toEqual(['expired at 9500', 'judged at 0']);
    expect(looksAt()).toEqual([0, 9_500]);
  });

  it.each([
    // A twentieth before the deadline, at most a second.
    [2_000, [1_900]],
    [30_000, [20_000, 29_000]],
  ])('a last time right before a deadline of %d ms', async (timeoutMs, expected) => {
    const { source, looksAt } = sourceOf();
    const watch = watchOf({ deadline: new Deadline(timeoutMs) });
    const ending = new OperationPoller(source, 'p-1', rarely).watch(watch);
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect([await ending, looksAt()]).toEqual([`expired at ${expected.at(-1)}`, expected]);
  });

  it('one after the other, also when somebody joins while one is under way', async () => {
    let underWay = 0;
    const most: number[] = [];
    const { source } = sourceOf({
      async listOperations() {
        underWay += 1;
        most.push(underWay);
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        underWay -= 1;
        return { operations: [] };
      },
    });
    const poller = new OperationPoller(source, 'p-1');
    const first = poller.watch(watchOf());
    await vi.advanceTimersByTimeAsync(500);
    const second = poller.watch(watchOf({ operations: () => [] }));
    await vi.advanceTimersByTimeAsync(12_000);
    await Promise.all([first, second]);
    expect(Math.max(...most)).toBe(1);
  });

  it('ever farther apart while they fail, up to the longest interval', async () => {
    // The longest of the random pauses.
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const { source, looksAt } = sourceOf({ listOperations: () => Promise.reject(failure(503)) });
    const watch = watchOf({ deadline: new Deadline(60_000) });
    const ending = new OperationPoller(source, 'p-1').watch(watch);
    await vi.advanceTimersByTimeAsync(60_000);
    await ending;
    expect(looksAt().slice(0, 7)).toEqual([200, 600, 1_400, 3_000, 6_200, 11_200, 16_200]);
  });

  it('no sooner than the service asks for', async () => {
    const { source, looksAt } = sourceOf({ listOperations: () => Promise.reject(failure(429, 7_000)) });
    const ending = new OperationPoller(source, 'p-1').watch(watchOf());
    await vi.advanceTimersByTimeAsync(10_000);
    await ending;
    expect(looksAt()[1]).toBeGreaterThanOrEqual(7_200);
  });
});

describe('a look that gets no answer before the deadline', () => {
  it('does not hold up the end of the wait, and is not judged later', async () => {
    const judge = vi.fn(() => 'judged');
    const { source } = sourceOf({
      async listOperations() {
        await new Promise((resolve) => setTimeout(resolve, 30_000));
        return { operations: [] };
      },
    });
    const ending = new OperationPoller(source, 'p-1').watch(watchOf({ judge }));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await ending).toBe('expired at 10000');
    expect(judge).not.toHaveBeenCalled();
  });
});

it('an error of one who waits ends that wait alone', async () => {
  const poller = new OperationPoller(sourceOf().source, 'p-1');
  const judge = () => {
    throw new Error('forgotten');
  };
  const failing = expect(poller.watch(watchOf({ judge }))).rejects.toThrow('forgotten');
  const other = poller.watch(watchOf({ judge: () => (now() > 2_000 ? 'seen' : undefined) }));
  await vi.advanceTimersByTimeAsync(10_000);
  await failing;
  expect(await other).toBe('seen');
});
