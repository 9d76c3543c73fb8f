import { describe, expect, it } from 'vitest';
import {
  awaitWithin,
  everySecond,
  failure,
  idsOf,
  runsFor,
  serviceOf,
} from '../../../tests/support/awaited-operations';
import { useFakeClock, useShortestPauses } from '../../../tests/support/fake-clock';
import { operationOf } from '../../../tests/support/operation';

useFakeClock();
useShortestPauses();

describe('awaitOperations', () => {
  it.each([
    ['succeeded', 'skipped'],
    ['failed', 'error'],
    ['timed out', 'a-word-not-known-yet'],
  ])('reports %s when the operation reaches the status %s', async (outcome, status) => {
    const { poller } = serviceOf(runsFor(3_000, status));
    expect((await awaitWithin(poller, [operationOf()])).outcome).toBe(outcome);
  });

  it('returns at once, without a poll, if there are no operations', async () => {
    const { poller, polls } = serviceOf(() => []);
    const { outcome, endedAt } = await awaitWithin(poller, []);
    expect([outcome, endedAt, polls]).toEqual(['succeeded', 0, []]);
  });

  it('returns at once if every operation has ended', async () => {
    const { poller, polls } = serviceOf(() => []);
    const { outcome } = await awaitWithin(poller, [operationOf({ status: 'failed' })]);
    expect([outcome, polls]).toEqual(['failed', []]);
  });

  it('waits for the last operation of a chain', async () => {
    const { poller } = serviceOf((elapsedMs) => [
      operationOf({ id: 'op-2', status: elapsedMs < 9_000 ? 'scheduling' : 'finished' }),
      operationOf({ status: elapsedMs < 4_000 ? 'running' : 'finished' }),
    ]);
    const { outcome, endedAt } = await awaitWithin(poller, [operationOf(), operationOf({ id: 'op-2' })]);
    expect(outcome).toBe('succeeded');
    expect(endedAt).toBeGreaterThanOrEqual(9_000);
  });

  it('counts an operation once if the response names it twice', async () => {
    const { poller } = serviceOf(runsFor(1_000));
    const { operations } = await awaitWithin(poller, [operationOf(), operationOf()]);
    expect(idsOf(operations)).toEqual(['op-1']);
  });

  it('reports progress at first and after each poll', async () => {
    const seen: string[] = [];
    const { poller } = serviceOf(runsFor(1_500), { pacing: everySecond });
    await awaitWithin(poller, [operationOf({ status: 'scheduling' })], {
      onProgress: (operations) => seen.push(operations.map(({ status }) => status).join(' ')),
    });
    expect(seen).toEqual(['scheduling', 'running', 'finished']);
  });

  it('keeps the outcome of an operation when a list lags behind', async () => {
    const { poller } = serviceOf(
      (elapsedMs) => [
        operationOf({ id: 'op-2', status: elapsedMs < 8_000 ? 'running' : 'finished' }),
        // Seen to end at 2 s; the later lists are older.
        operationOf({ status: elapsedMs === 2_000 ? 'finished' : 'running' }),
      ],
      { pacing: everySecond },
    );
    const { outcome, endedAt, operations } = await awaitWithin(poller, [
      operationOf(),
      operationOf({ id: 'op-2' }),
    ]);
    expect([outcome, endedAt]).toEqual(['succeeded', 8_000]);
    expect(operations.map(({ status }) => status)).toEqual(['finished', 'finished']);
  });
});

describe('awaitOperations: polls', () => {
  it.each([
    ['failed', 29_000, 'GET /operations: 503 Service Unavailable: busy'],
    ['succeeded', 3_000, undefined],
  ])(
    'that %s last say so in the result of a wait that times out',
    async (_how, failsUntilMs, pollFailure) => {
      const startedAt = Date.now();
      const { poller } = serviceOf(runsFor(60_000), {
        respond: () => {
          if (Date.now() - startedAt <= failsUntilMs) throw failure(503, 'busy');
        },
      });
      const result = await awaitWithin(poller, [operationOf()], { timeoutMs: 30_000 });
      expect(result).toMatchObject({ outcome: 'timed out', pollFailure });
    },
  );

  it.each([429, 500, 503, undefined])(
    'are repeated after status %s, which says nothing of the operation',
    async (status) => {
      let failures = 6;
      const { poller } = serviceOf(runsFor(1_000), {
        respond: () => {
          if (failures-- > 0) throw failure(status, 'busy');
        },
      });
      expect((await awaitWithin(poller, [operationOf()])).outcome).toBe('succeeded');
    },
  );
});
