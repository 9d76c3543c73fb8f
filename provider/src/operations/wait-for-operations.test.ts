import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useFakeClock } from '../../../tests/support/fake-clock';
import { operationOf } from '../../../tests/support/operation';
import { ControlApiError } from '../control-api/control-api-error';
import { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { OperationPoller, type OperationSource } from './operation-poller';
import type { PollPacing } from './poll-schedule';
import { type AwaitRequest, awaitOperations } from './wait-for-operations';

const start = Date.parse('2026-01-01T00:00:00Z');
const everySecond: PollPacing = { shortestMs: 1_000, longestMs: 1_000 };

useFakeClock(start);

beforeEach(() => {
  // The shortest of the random pauses after a poll that failed.
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

const failure = (status: number | undefined, reason: string) =>
  new ControlApiError({ method: 'GET', path: '/operations', status, reason });

/** A service whose operations come from `now`, given the milliseconds since the start. */
function serviceOf(
  now: (elapsedMs: number) => Operation[],
  { respond = () => undefined, pacing }: { respond?: () => void; pacing?: PollPacing } = {},
) {
  const polls: number[] = [];
  const source: OperationSource = {
    async listOperations() {
      polls.push(Date.now() - start);
      respond();
      return { operations: now(Date.now() - start) };
    },
    async getOperation(_projectId, id) {
      const known = now(Date.now() - start).find((operation) => operation.id === id);
      if (known) return known;
      throw failure(404, 'unknown');
    },
  };
  return { polls, poller: new OperationPoller(source, 'p-1', pacing) };
}

async function awaitWithin(
  poller: OperationPoller,
  operations: Operation[],
  { timeoutMs = 60_000, ...change }: Partial<AwaitRequest> & { timeoutMs?: number } = {},
) {
  const result = awaitOperations(poller, {
    endpointId: 'ep-1',
    operations,
    deadline: new Deadline(timeoutMs),
    ...change,
  });
  // Attached before time passes, so that a rejection is never unhandled.
  const outcome = result.then((value) => ({ ...value, endedAt: Date.now() - start }));
  outcome.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(timeoutMs + 1_000);
  return outcome;
}

/** A timestamp, in seconds after the start. */
const after = (seconds: number) => new Date(start + seconds * 1_000).toISOString();

const runsFor =
  (durationMs: number, last = 'finished') =>
  (elapsedMs: number) => [operationOf({ status: elapsedMs < durationMs ? 'running' : last })];

const idsOf = (operations: readonly Operation[]) => operations.map(({ id }) => id);

describe('awaitOperations', () => {
  it.each([
    ['succeeded', 'finished'],
    ['succeeded', 'skipped'],
    ['failed', 'failed'],
    ['failed', 'error'],
    ['failed', 'cancelled'],
    ['timed out', 'scheduling'],
    ['timed out', 'running'],
    ['timed out', 'cancelling'],
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

  it('returns at once if every operation of the response has finished or failed', async () => {
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

describe('awaitOperations for operations that the response did not name', () => {
  it('waits for an operation that the service started later for the same endpoint', async () => {
    const { poller } = serviceOf((elapsedMs) => [
      ...(elapsedMs < 4_000
        ? []
        : [
            operationOf({
              id: 'op-9',
              created_at: after(4),
              status: elapsedMs < 8_000 ? 'running' : 'failed',
            }),
          ]),
      operationOf({ status: elapsedMs < 4_200 ? 'running' : 'finished' }),
    ]);
    const { outcome, operations } = await awaitWithin(poller, [operationOf()]);
    expect([outcome, idsOf(operations)]).toEqual(['failed', ['op-1', 'op-9']]);
  });

  it('waits for an operation that started between those that the response names', async () => {
    const { poller } = serviceOf((elapsedMs) => [
      operationOf({ id: 'op-3', created_at: after(2), status: elapsedMs < 1_000 ? 'running' : 'finished' }),
      operationOf({ id: 'op-2', created_at: after(1), status: elapsedMs < 5_000 ? 'running' : 'failed' }),
      operationOf({ status: elapsedMs < 1_000 ? 'running' : 'finished' }),
    ]);
    const named = [operationOf(), operationOf({ id: 'op-3', created_at: after(2) })];
    expect((await awaitWithin(poller, named)).outcome).toBe('failed');
  });

  it('counts an operation that started after one known only from the state', async () => {
    // Kept in state by an earlier run: the service has to show when it began.
    const known = operationOf({ created_at: '', updated_at: '' });
    const { poller } = serviceOf((elapsedMs) => [
      operationOf({ id: 'op-2', created_at: after(1), status: elapsedMs < 5_000 ? 'running' : 'failed' }),
      ...runsFor(1_000)(elapsedMs),
      operationOf({ id: 'op-0', created_at: after(-60), status: 'failed' }),
    ]);
    const { outcome, operations } = await awaitWithin(poller, [known]);
    expect([outcome, idsOf(operations)]).toEqual(['failed', ['op-1', 'op-2']]);
  });

  it('does not count an older operation before the service shows when the others began', async () => {
    const known = operationOf({ created_at: '', updated_at: '' });
    const { poller } = serviceOf((elapsedMs) => [
      ...(elapsedMs < 3_000 ? [] : runsFor(5_000)(elapsedMs)),
      operationOf({ id: 'op-0', created_at: after(-60), status: 'failed' }),
    ]);
    const { outcome, operations } = await awaitWithin(poller, [known]);
    expect([outcome, idsOf(operations)]).toEqual(['succeeded', ['op-1']]);
  });

  it('counts an operation that started after the only one with a known start', async () => {
    const inState = operationOf({ id: 'op-3', created_at: '', updated_at: '' });
    const { poller } = serviceOf((elapsedMs) => [
      // Shown for a moment only, while the service does not show op-3.
      ...(elapsedMs < 2_000 ? [operationOf({ id: 'op-2', created_at: after(1), status: 'failed' })] : []),
      ...runsFor(5_000)(elapsedMs),
    ]);
    const { outcome } = await awaitWithin(poller, [operationOf(), inState]);
    expect(outcome).toBe('failed');
  });

  it('counts an operation that started in the same instant', async () => {
    const { poller } = serviceOf((elapsedMs) => [
      ...runsFor(1_000)(elapsedMs),
      operationOf({ id: 'op-2', status: 'failed' }),
    ]);
    expect((await awaitWithin(poller, [operationOf()])).outcome).toBe('failed');
  });

  it.each([
    ['started before', { created_at: after(-1) }],
    ['of another endpoint', { endpoint_id: 'ep-2' }],
    ['that checks the availability', { action: 'check_availability' }],
    // The service suspends idle computes by itself.
    ['that suspends the compute', { action: 'suspend_compute' }],
  ])('does not count a failed operation %s', async (_what, change) => {
    const { poller } = serviceOf((elapsedMs) => [
      ...runsFor(1_000)(elapsedMs),
      operationOf({ id: 'op-x', status: 'failed', ...change }),
    ]);
    const { outcome, operations } = await awaitWithin(poller, [operationOf()]);
    expect([outcome, idsOf(operations)]).toEqual(['succeeded', ['op-1']]);
  });

  it('does not wait for a suspension', async () => {
    const suspension = operationOf({ id: 'op-x', action: 'suspend_compute', created_at: after(1) });
    const { poller } = serviceOf((elapsedMs) => [suspension, ...runsFor(2_500)(elapsedMs)], {
      pacing: everySecond,
    });
    const { outcome, endedAt } = await awaitWithin(poller, [operationOf()]);
    expect([outcome, endedAt]).toEqual(['succeeded', 3_000]);
  });

  it('waits for a suspension that the response names', async () => {
    const suspension = (status: string) => operationOf({ action: 'suspend_compute', status });
    const { poller } = serviceOf((elapsedMs) => [suspension(elapsedMs < 2_500 ? 'running' : 'failed')], {
      pacing: everySecond,
    });
    const { outcome, endedAt } = await awaitWithin(poller, [suspension('running')]);
    expect([outcome, endedAt]).toEqual(['failed', 3_000]);
  });

  it('waits for a suspension with followsSuspension', async () => {
    const { poller } = serviceOf(
      (elapsedMs) => [
        operationOf({
          id: 'op-x',
          action: 'suspend_compute',
          status: elapsedMs < 4_500 ? 'running' : 'failed',
        }),
        ...runsFor(2_500)(elapsedMs),
      ],
      { pacing: everySecond },
    );
    const { outcome, operations, endedAt } = await awaitWithin(poller, [operationOf()], {
      followsSuspension: true,
    });
    expect([outcome, idsOf(operations), endedAt]).toEqual(['failed', ['op-1', 'op-x'], 5_000]);
  });
});

describe('awaitOperations for an operation that the service does not show', () => {
  /** An operation that is shown, running, only at the times that `isShown` accepts. */
  const shownAt = (isShown: (elapsedMs: number) => boolean) =>
    serviceOf((elapsedMs) => (isShown(elapsedMs) ? [operationOf()] : []), { pacing: everySecond });

  it('drops an operation that is missing for 10 s, and sets hasVanished', async () => {
    const { poller } = shownAt((elapsedMs) => elapsedMs < 2_500);
    // First missing at 3 s.
    expect(await awaitWithin(poller, [operationOf()])).toEqual({
      outcome: 'succeeded',
      operations: [],
      hasVanished: true,
      endedAt: 13_000,
    });
  });

  it('drops an operation that no poll ever showed after 10 s', async () => {
    const { poller } = shownAt(() => false);
    expect(await awaitWithin(poller, [operationOf()])).toMatchObject({
      outcome: 'succeeded',
      operations: [],
      hasVanished: true,
      endedAt: 11_000,
    });
  });

  it('drops a missing operation after readLagMs', async () => {
    const { poller } = shownAt(() => false);
    expect(await awaitWithin(poller, [operationOf()], { readLagMs: 3_000 })).toMatchObject({
      hasVanished: true,
      endedAt: 4_000,
    });
  });

  it('keeps an operation that appears within 10 s', async () => {
    const { poller } = serviceOf(
      (elapsedMs) => (elapsedMs < 10_000 ? [] : runsFor(15_000, 'failed')(elapsedMs)),
      { pacing: everySecond },
    );
    expect(await awaitWithin(poller, [operationOf()])).toMatchObject({
      outcome: 'failed',
      hasVanished: false,
      endedAt: 15_000,
    });
  });

  it('restarts the 10 s each time an operation is missing', async () => {
    const { poller } = shownAt((elapsedMs) => elapsedMs === 8_000 || elapsedMs === 16_000);
    expect(await awaitWithin(poller, [operationOf()])).toMatchObject({ hasVanished: true, endedAt: 27_000 });
  });

  it('reports an operation that is missing at the deadline as unfinished', async () => {
    const { poller } = shownAt((elapsedMs) => elapsedMs < 2_500);
    expect(await awaitWithin(poller, [operationOf()], { timeoutMs: 8_000 })).toMatchObject({
      outcome: 'timed out',
      operations: [operationOf()],
      hasVanished: false,
    });
  });

  it('remembers that an operation failed before it disappeared', async () => {
    const { poller } = serviceOf((elapsedMs) => [
      operationOf({ id: 'op-2', status: elapsedMs < 20_000 ? 'running' : 'finished' }),
      ...(elapsedMs < 2_000 ? [operationOf({ status: 'failed' })] : []),
    ]);
    const { outcome, hasVanished } = await awaitWithin(poller, [operationOf(), operationOf({ id: 'op-2' })]);
    expect([outcome, hasVanished]).toEqual(['failed', false]);
  });
});

describe('awaitOperations: polls', () => {
  it('come at a tenth of the time waited, from 200 ms up to the 5 s that the service suggests', async () => {
    const { poller, polls } = serviceOf(runsFor(120_000));
    await awaitWithin(poller, [operationOf()], { timeoutMs: 200_000 });
    expect(polls.slice(0, 4)).toEqual([200, 400, 600, 800]);
    const gaps = polls.slice(1).map((poll, index) => poll - (polls[index] ?? 0));
    expect(Math.max(...gaps)).toBe(5_000);
    expect(polls.length).toBeLessThan(60);
  });

  it('are shared by all waits in the project', async () => {
    const { poller, polls } = serviceOf((elapsedMs) =>
      ['op-1', 'op-2', 'op-3'].map((id) =>
        operationOf({ id, status: elapsedMs < 2_000 ? 'running' : 'finished' }),
      ),
    );
    const waits = ['op-1', 'op-2', 'op-3'].map((id) => awaitWithin(poller, [operationOf({ id })]));
    await Promise.all(waits);
    expect(polls.length).toBeLessThan(15);
  });

  it('include one right before the deadline', async () => {
    const { poller, polls } = serviceOf(runsFor(29_200));
    const { outcome } = await awaitWithin(poller, [operationOf()], { timeoutMs: 30_000 });
    expect(polls.at(-1)).toBeGreaterThanOrEqual(29_000);
    expect(outcome).toBe('timed out');
  });

  it('reject the wait after repeated refusals', async () => {
    const { poller } = serviceOf(runsFor(5_000), {
      respond: () => {
        throw failure(401, 'the key was revoked');
      },
    });
    await expect(awaitWithin(poller, [operationOf()])).rejects.toThrow(
      '401 Unauthorized: the key was revoked',
    );
  });

  it.each([429, 500, 503, undefined])(
    'are repeated when they fail with status %s, which says nothing about the operation',
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

describe('awaitOperations for an operation that is not on the newest page', () => {
  /** A service whose newest page holds only what others have made since. */
  function busyServiceOf(durationMs: number) {
    const asked = new Set<string>();
    const source: OperationSource = {
      listOperations: async () => ({ operations: [] }),
      getOperation: async (_projectId, id) => {
        asked.add(id);
        const status = Date.now() - start < durationMs ? 'running' : 'finished';
        return operationOf({ id, status });
      },
    };
    return { asked, poller: new OperationPoller(source, 'p-1') };
  }

  it('reads an operation that is not on the newest page by id', async () => {
    const { asked, poller } = busyServiceOf(3_000);
    const { outcome, endedAt } = await awaitWithin(poller, [operationOf()]);
    expect(outcome).toBe('succeeded');
    expect(endedAt).toBeGreaterThanOrEqual(3_000);
    expect([...asked]).toEqual(['op-1']);
  });

  it('does not read a finished operation by id', async () => {
    const { asked, poller } = busyServiceOf(3_000);
    await awaitWithin(poller, [operationOf({ id: 'op-0', status: 'finished' }), operationOf()]);
    expect([...asked]).toEqual(['op-1']);
  });
});
