import { describe, expect, it, vi } from 'vitest';
import { now, useFakeClock, useShortestPauses } from '../../../tests/support/fake-clock';
import { endsOf, failure, pause, sourceOf, watchOf } from '../../../tests/support/polled-project';
import { OperationPoller } from './operation-poller';

useFakeClock();
useShortestPauses();

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

describe('OperationPoller: a watch', () => {
  it('rejects at once when the read of its operation throws another error', async () => {
    const { source, asked } = sourceOf({ getOperation: () => Promise.reject(new TypeError('broken')) });
    const ends = await endsOf([new OperationPoller(source, 'p-1').watch(watchOf())]);
    expect([ends, asked.length]).toEqual([['TypeError: broken'], 1]);
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
    ['the page of a proxy', failure(404, 0, false)],
  ])('restarts the count of refusals after %s', async (_what, between) => {
    const { source } = failingWith([failure(403), failure(403), between, failure(403), failure(403)]);
    const [end] = await endsOf([new OperationPoller(source, 'p-1').watch(watchOf())]);
    expect(end).toBe('expired at 9500');
  });

  it('rejects at once when a poll throws another error', async () => {
    const { source, pollTimes } = failingWith([new TypeError('broken')]);
    const ends = await endsOf([new OperationPoller(source, 'p-1').watch(watchOf())]);
    expect([ends, pollTimes()]).toEqual([['TypeError: broken'], [480]]);
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
