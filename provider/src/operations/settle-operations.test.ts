import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { operationOf } from '../../../tests/fixtures/operation';
import { ControlApiError } from '../control-api/control-api-error';
import { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { OperationPoller, type OperationSource } from './operation-poller';
import { settleOperations } from './settle-operations';

const start = Date.parse('2026-01-01T00:00:00Z');

/** A service whose operations are what `now` says, milliseconds after the start. */
function serviceOf(now: (elapsedMs: number) => Operation[], answer: () => void = () => undefined) {
  const looks: number[] = [];
  const source: OperationSource = {
    async listOperations() {
      looks.push(Date.now() - start);
      answer();
      return { operations: now(Date.now() - start) };
    },
    async getOperation(_projectId, id) {
      const known = now(Date.now() - start).find((operation) => operation.id === id);
      if (known) return known;
      throw new ControlApiError({ method: 'GET', path: `/operations/${id}`, status: 404, reason: 'unknown' });
    },
  };
  return { looks, poller: new OperationPoller(source, 'p-1') };
}

async function settle(poller: OperationPoller, operations: Operation[], timeoutMs = 60_000) {
  const settlement = settleOperations(poller, {
    endpointId: 'ep-1',
    operations,
    deadline: new Deadline(timeoutMs),
  });
  // Attached before time passes, so that a rejection is never unhandled.
  const outcome = settlement.then((value) => ({ ...value, endedAt: Date.now() - start }));
  outcome.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(timeoutMs + 1_000);
  return outcome;
}

/** So many seconds after the start. */
const after = (seconds: number) => new Date(start + seconds * 1_000).toISOString();

const runsFor =
  (durationMs: number, last = 'finished') =>
  (elapsedMs: number) => [operationOf({ status: elapsedMs < durationMs ? 'running' : last })];

beforeEach(() => {
  vi.useFakeTimers({ now: start });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('waiting ends', () => {
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
  ])('as %s when the operation ends as %s', async (outcome, status) => {
    const { poller } = serviceOf(runsFor(3_000, status));
    expect((await settle(poller, [operationOf()])).outcome).toBe(outcome);
  });

  it('at once, without a look, when there is nothing to wait for', async () => {
    const { poller, looks } = serviceOf(() => []);
    const { outcome, endedAt } = await settle(poller, []);
    expect([outcome, endedAt, looks]).toEqual(['succeeded', 0, []]);
  });

  it('at once when every operation has ended in the answer already', async () => {
    const { poller, looks } = serviceOf(() => []);
    const { outcome } = await settle(poller, [operationOf({ status: 'failed' })]);
    expect([outcome, looks]).toEqual(['failed', []]);
  });

  it('when the last operation of a chain has ended', async () => {
    const { poller } = serviceOf((elapsedMs) => [
      operationOf({ id: 'op-2', status: elapsedMs < 9_000 ? 'scheduling' : 'finished' }),
      operationOf({ status: elapsedMs < 4_000 ? 'running' : 'finished' }),
    ]);
    const { outcome, endedAt } = await settle(poller, [operationOf(), operationOf({ id: 'op-2' })]);
    expect(outcome).toBe('succeeded');
    expect(endedAt).toBeGreaterThanOrEqual(9_000);
  });

  it('when an operation has ended that the service started later for the same endpoint', async () => {
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
    const { outcome, operations } = await settle(poller, [operationOf()]);
    expect([outcome, operations.map(({ id }) => id)]).toEqual(['failed', ['op-1', 'op-9']]);
  });

  it('when an operation has ended that started between those that the answer names', async () => {
    const { poller } = serviceOf((elapsedMs) => [
      operationOf({ id: 'op-3', created_at: after(2), status: elapsedMs < 1_000 ? 'running' : 'finished' }),
      operationOf({ id: 'op-2', created_at: after(1), status: elapsedMs < 5_000 ? 'running' : 'failed' }),
      operationOf({ status: elapsedMs < 1_000 ? 'running' : 'finished' }),
    ]);
    const named = [operationOf(), operationOf({ id: 'op-3', created_at: after(2) })];
    expect((await settle(poller, named)).outcome).toBe('failed');
  });

  it.each([
    ['was started before', { created_at: after(-1) }],
    ['belongs to another endpoint', { endpoint_id: 'ep-2' }],
  ])('without regard to a failed operation that %s', async (_, change) => {
    const { poller } = serviceOf((elapsedMs) => [
      ...runsFor(1_000)(elapsedMs),
      operationOf({ id: 'op-x', status: 'failed', ...change }),
    ]);
    const { outcome, operations } = await settle(poller, [operationOf()]);
    expect([outcome, operations.map(({ id }) => id)]).toEqual(['succeeded', ['op-1']]);
  });

  it('with regard to one that was started in the same instant', async () => {
    const { poller } = serviceOf((elapsedMs) => [
      ...runsFor(1_000)(elapsedMs),
      operationOf({ id: 'op-2', status: 'failed' }),
    ]);
    expect((await settle(poller, [operationOf()])).outcome).toBe('failed');
  });

  it('as succeeded when the service has forgotten an operation: it is not running any more', async () => {
    const { poller } = serviceOf((elapsedMs) => (elapsedMs < 2_000 ? [operationOf()] : []));
    const { outcome, operations } = await settle(poller, [operationOf()]);
    expect([outcome, operations]).toEqual(['succeeded', []]);
  });

  it('as failed when the service has forgotten an operation that had failed', async () => {
    const { poller } = serviceOf((elapsedMs) => [
      operationOf({ id: 'op-2', status: elapsedMs < 4_000 ? 'running' : 'finished' }),
      ...(elapsedMs < 2_000 ? [operationOf({ status: 'failed' })] : []),
    ]);
    const { outcome } = await settle(poller, [operationOf(), operationOf({ id: 'op-2' })]);
    expect(outcome).toBe('failed');
  });

  it('without regard to a failed availability check of the control plane', async () => {
    const { poller } = serviceOf((elapsedMs) => [
      operationOf({ id: 'op-c', action: 'check_availability', status: 'failed' }),
      ...runsFor(1_000)(elapsedMs),
    ]);
    expect((await settle(poller, [operationOf()])).outcome).toBe('succeeded');
  });

  it('as one operation when the answer names the same one twice', async () => {
    const { poller } = serviceOf(runsFor(1_000));
    const { operations } = await settle(poller, [operationOf(), operationOf()]);
    expect(operations.map(({ id }) => id)).toEqual(['op-1']);
  });
});

describe('looks', () => {
  it('come at a tenth of the time waited, from 200 ms up to the 5 s that the service suggests', async () => {
    const { poller, looks } = serviceOf(runsFor(120_000));
    await settle(poller, [operationOf()], 200_000);
    expect(looks.slice(0, 4)).toEqual([200, 400, 600, 800]);
    const gaps = looks.slice(1).map((look, index) => look - (looks[index] ?? 0));
    expect(Math.max(...gaps)).toBe(5_000);
    expect(looks.length).toBeLessThan(60);
  });

  it('are made once for all who wait in the project', async () => {
    const { poller, looks } = serviceOf((elapsedMs) =>
      ['op-1', 'op-2', 'op-3'].map((id) =>
        operationOf({ id, status: elapsedMs < 2_000 ? 'running' : 'finished' }),
      ),
    );
    const waits = ['op-1', 'op-2', 'op-3'].map((id) => settle(poller, [operationOf({ id })]));
    await Promise.all(waits);
    expect(looks.length).toBeLessThan(15);
  });

  it('come a last time right before the deadline', async () => {
    const { poller, looks } = serviceOf(runsFor(29_200));
    const { outcome } = await settle(poller, [operationOf()], 30_000);
    expect(looks.at(-1)).toBeGreaterThanOrEqual(29_000);
    expect(outcome).toBe('timed out');
  });

  it('that are refused at last end the wait with that refusal', async () => {
    const { poller } = serviceOf(runsFor(5_000), () => {
      throw new ControlApiError({
        method: 'GET',
        path: '/operations',
        status: 401,
        reason: 'the key was revoked',
      });
    });
    await expect(settle(poller, [operationOf()])).rejects.toThrow('401 Unauthorized: the key was revoked');
  });

  it.each([429, 500, 503, undefined])(
    'that fail with %s are made again, and the operation has not failed',
    async (status) => {
      let failures = 6;
      const { poller } = serviceOf(runsFor(1_000), () => {
        if (failures-- > 0)
          throw new ControlApiError({ method: 'GET', path: '/operations', status, reason: 'busy' });
      });
      expect((await settle(poller, [operationOf()])).outcome).toBe('succeeded');
    },
  );
});

describe('an operation that is not on the newest page', () => {
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

  it('is asked for by its id', async () => {
    const { asked, poller } = busyServiceOf(3_000);
    const { outcome, endedAt } = await settle(poller, [operationOf()]);
    expect(outcome).toBe('succeeded');
    expect(endedAt).toBeGreaterThanOrEqual(3_000);
    expect([...asked]).toEqual(['op-1']);
  });

  it('is not asked for when it has ended already', async () => {
    const { asked, poller } = busyServiceOf(3_000);
    await settle(poller, [operationOf({ id: 'op-0', status: 'finished' }), operationOf()]);
    expect([...asked]).toEqual(['op-1']);
  });
});
