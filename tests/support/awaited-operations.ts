import { vi } from 'vitest';
import { ControlApiError } from '../../provider/src/control-api/control-api-error';
import { Deadline } from '../../provider/src/control-api/deadline';
import type { Operation } from '../../provider/src/control-api/wire-types';
import { OperationPoller, type OperationSource } from '../../provider/src/operations/operation-poller';
import type { PollPacing } from '../../provider/src/operations/poll-schedule';
import { type AwaitRequest, awaitOperations } from '../../provider/src/operations/wait-for-operations';
import { start } from './fake-clock';
import { operationOf } from './operation';

// A service whose operations `awaitOperations` awaits, by a fake clock.

export const everySecond: PollPacing = { shortestMs: 1_000, longestMs: 1_000 };

export const failure = (status: number | undefined, reason: string) =>
  new ControlApiError({ method: 'GET', path: '/operations', status, reason });

/** A service whose operations come from `now`, given the milliseconds since the start. */
export function serviceOf(
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

export async function awaitWithin(
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

export const runsFor =
  (durationMs: number, last = 'finished') =>
  (elapsedMs: number) => [operationOf({ status: elapsedMs < durationMs ? 'running' : last })];

export const idsOf = (operations: readonly Operation[]) => operations.map(({ id }) => id);
