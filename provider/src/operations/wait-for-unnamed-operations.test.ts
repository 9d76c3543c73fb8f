import { describe, expect, it } from 'vitest';
import {
  awaitWithin,
  everySecond,
  idsOf,
  runsFor,
  serviceOf,
} from '../../../tests/support/awaited-operations';
import { timeOf, useFakeClock, useShortestPauses } from '../../../tests/support/fake-clock';
import { operationOf } from '../../../tests/support/operation';

useFakeClock();
useShortestPauses();

describe('awaitOperations for operations that the response did not name', () => {
  it('waits for a later operation of the same endpoint', async () => {
    const { poller } = serviceOf((elapsedMs) => [
      ...(elapsedMs < 4_000
        ? []
        : [
            operationOf({
              id: 'op-9',
              created_at: timeOf(4),
              status: elapsedMs < 8_000 ? 'running' : 'failed',
            }),
          ]),
      operationOf({ status: elapsedMs < 4_200 ? 'running' : 'finished' }),
    ]);
    const { outcome, operations } = await awaitWithin(poller, [operationOf()]);
    expect([outcome, idsOf(operations)]).toEqual(['failed', ['op-1', 'op-9']]);
  });

  it('waits for an operation that started between the named ones', async () => {
    const { poller } = serviceOf((elapsedMs) => [
      operationOf({ id: 'op-3', created_at: timeOf(2), status: elapsedMs < 1_000 ? 'running' : 'finished' }),
      operationOf({ id: 'op-2', created_at: timeOf(1), status: elapsedMs < 5_000 ? 'running' : 'failed' }),
      operationOf({ status: elapsedMs < 1_000 ? 'running' : 'finished' }),
    ]);
    const named = [operationOf(), operationOf({ id: 'op-3', created_at: timeOf(2) })];
    expect((await awaitWithin(poller, named)).outcome).toBe('failed');
  });

  it('counts an operation that started after one known only from the state', async () => {
    // Kept in state by an earlier run: the service has to show when it began.
    const known = operationOf({ created_at: '', updated_at: '' });
    const { poller } = serviceOf((elapsedMs) => [
      operationOf({ id: 'op-2', created_at: timeOf(1), status: elapsedMs < 5_000 ? 'running' : 'failed' }),
      ...runsFor(1_000)(elapsedMs),
      operationOf({ id: 'op-0', created_at: timeOf(-60), status: 'failed' }),
    ]);
    const { outcome, operations } = await awaitWithin(poller, [known]);
    expect([outcome, idsOf(operations)]).toEqual(['failed', ['op-1', 'op-2']]);
  });

  it("ignores older operations until the service shows the others' start", async () => {
    const known = operationOf({ created_at: '', updated_at: '' });
    const { poller } = serviceOf((elapsedMs) => [
      ...(elapsedMs < 3_000 ? [] : runsFor(5_000)(elapsedMs)),
      operationOf({ id: 'op-0', created_at: timeOf(-60), status: 'failed' }),
    ]);
    const { outcome, operations } = await awaitWithin(poller, [known]);
    expect([outcome, idsOf(operations)]).toEqual(['succeeded', ['op-1']]);
  });

  it('counts an operation that started after the only one with a known start', async () => {
    const inState = operationOf({ id: 'op-3', created_at: '', updated_at: '' });
    const { poller } = serviceOf((elapsedMs) => [
      // Shown for a moment only, while the service does not show op-3.
      ...(elapsedMs < 2_000 ? [operationOf({ id: 'op-2', created_at: timeOf(1), status: 'failed' })] : []),
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
    ['started before', { created_at: timeOf(-1) }],
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
    const suspension = operationOf({ id: 'op-x', action: 'suspend_compute', created_at: timeOf(1) });
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
