import { describe, expect, it } from 'vitest';
import {
  awaitWithin,
  everySecond,
  failure,
  runsFor,
  serviceOf,
} from '../../../tests/support/awaited-operations';
import { useFakeClock, useShortestPauses } from '../../../tests/support/fake-clock';
import { operationOf } from '../../../tests/support/operation';
import { pause } from '../../../tests/support/polled-project';
import { OperationPoller } from './operation-poller';

useFakeClock();
useShortestPauses();

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

  it('keeps an operation missing from a read that was asked within 10 s', async () => {
    let polls = 0;
    const poller = new OperationPoller(
      {
        async listOperations() {
          polls += 1;
          const operations = polls > 2 ? [operationOf({ status: 'failed' })] : [];
          if (polls === 2) await pause(20_000);
          return { operations };
        },
        async getOperation() {
          throw failure(404, 'unknown');
        },
      },
      'p-1',
      everySecond,
    );
    expect(await awaitWithin(poller, [operationOf()])).toMatchObject({
      outcome: 'failed',
      hasVanished: false,
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
