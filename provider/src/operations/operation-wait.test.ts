import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpointOf } from '../../../tests/fixtures/endpoint';
import { operationOf } from '../../../tests/fixtures/operation';
import { ControlApiError } from '../control-api/control-api-error';
import { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { OperationPoller } from './operation-poller';
import { settleOperation, settleUnfinished, type WaitRequest, type WatchedProject } from './operation-wait';
import type { Settlement } from './settle-operations';

const start = Date.parse('2026-01-01T00:00:00Z');

const notFound = (path: string) =>
  new ControlApiError({ method: 'GET', path, status: 404, reason: 'not found' });

/** A project with the endpoint ep-1, whose operations, newest first, are what `now` says, milliseconds after the start. */
function projectOf(now: (elapsedMs: number) => Operation[]) {
  let requests = 0;
  const current = () => {
    requests += 1;
    return now(Date.now() - start);
  };
  const api: WatchedProject['api'] = {
    listOperations: async (_projectId, { limit = 50 } = {}) => ({ operations: current().slice(0, limit) }),
    async getOperation(_projectId, id) {
      const known = current().find((operation) => operation.id === id);
      if (known) return known;
      throw notFound(`/operations/${id}`);
    },
    async getEndpoint(_projectId, id) {
      if (id === 'ep-1') return endpointOf();
      throw notFound(`/endpoints/${id}`);
    },
  };
  const project = { id: 'p-1', api, poller: new OperationPoller(api, 'p-1') };
  return { project, requests: () => requests };
}

/** Lets a minute pass, and says when the waiting ended. */
async function waited(wait: (request: WaitRequest) => Promise<Settlement>) {
  const seen: string[] = [];
  const ending = wait({
    deadline: new Deadline(60_000),
    onProgress: (operations) => seen.push(operations.map(({ status }) => status).join(' ')),
  }).then((settlement) => ({ ...settlement, endedAt: Date.now() - start, seen }));
  // Attached before time passes, so that a rejection is never unhandled.
  ending.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(61_000);
  return ending;
}

const waitForOne = ({ project }: ReturnType<typeof projectOf>) =>
  waited((request) => settleOperation(project, 'op-1', request));

const waitForAll = ({ project }: ReturnType<typeof projectOf>, endpointId?: string) =>
  waited((request) => settleUnfinished(project, endpointId, request));

const runsFor =
  (durationMs: number, change: Partial<Operation> = {}) =>
  (elapsedMs: number) =>
    operationOf({ status: 'finished', ...change, ...(elapsedMs < durationMs && { status: 'running' }) });

const idsOf = (operations: readonly Operation[]) => operations.map(({ id }) => id);

beforeEach(() => {
  vi.useFakeTimers({ now: start });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('waiting for one operation', () => {
  it.each([
    ['finished', 'succeeded'],
    ['failed', 'failed'],
    ['running', 'timed out'],
  ])('that becomes %s ends as %s', async (status, outcome) => {
    const settlement = await waitForOne(projectOf((ms) => [runsFor(3_000, { status })(ms)]));
    expect([settlement.outcome, settlement.operations]).toEqual([outcome, [operationOf({ status })]]);
  });

  it('ends when it has ended, and tells each look', async () => {
    const { endedAt, seen } = await waitForOne(projectOf((ms) => [runsFor(300)(ms)]));
    expect([endedAt, seen]).toEqual([400, ['running', 'running', 'finished']]);
  });

  it('that has ended ends at once', async () => {
    const project = projectOf(() => [operationOf({ status: 'failed' })]);
    const { outcome, endedAt } = await waitForOne(project);
    expect([outcome, endedAt, project.requests()]).toEqual(['failed', 0, 1]);
  });

  it('does not wait for those that follow it', async () => {
    const next = operationOf({ id: 'op-2' });
    const { outcome, operations } = await waitForOne(projectOf((ms) => [next, runsFor(1_000)(ms)]));
    expect([outcome, idsOf(operations)]).toEqual(['succeeded', ['op-1']]);
  });

  it('needs nobody who wants to know of the progress', async () => {
    const { project } = projectOf((ms) => [runsFor(1_000)(ms)]);
    const settlement = settleOperation(project, 'op-1', { deadline: new Deadline(60_000) });
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await settlement).outcome).toBe('succeeded');
  });

  it('that the project does not have is refused', async () => {
    await expect(waitForOne(projectOf(() => []))).rejects.toThrow('404 Not Found');
  });

  it('that the service forgets meanwhile is refused: how it ended is not known', async () => {
    const project = projectOf((ms) => (ms < 2_000 ? [operationOf()] : []));
    await expect(waitForOne(project)).rejects.toThrow(
      'does not know operation op-1 (start_compute) any more',
    );
  });
});

describe('waiting for everything that is unfinished in the project', () => {
  it('ends when the last of all endpoints has ended', async () => {
    const { outcome, operations, endedAt } = await waitForAll(
      projectOf((ms) => [
        runsFor(1_000)(ms),
        runsFor(4_000, { id: 'op-2', endpoint_id: 'ep-2', status: 'failed' })(ms),
      ]),
    );
    expect([outcome, idsOf(operations)]).toEqual(['failed', ['op-1', 'op-2']]);
    expect(endedAt).toBeGreaterThanOrEqual(4_000);
  });

  it('does not count what had failed before', async () => {
    const failed = operationOf({ id: 'op-0', status: 'failed' });
    const { outcome, operations } = await waitForAll(projectOf((ms) => [runsFor(1_000)(ms), failed]));
    expect([outcome, idsOf(operations)]).toEqual(['succeeded', ['op-1']]);
  });

  it('succeeds at once when there is nothing', async () => {
    const { outcome, operations, endedAt } = await waitForAll(projectOf(() => []));
    expect([outcome, operations, endedAt]).toEqual(['succeeded', [], 0]);
  });

  it('finds also what stands behind hundreds of newer ones', async () => {
    const newer = Array.from({ length: 400 }, (_, index) =>
      operationOf({ id: `op-n${index}`, status: 'finished' }),
    );
    const { operations } = await waitForAll(projectOf((ms) => [...newer, runsFor(1_000)(ms)]));
    expect(idsOf(operations)).toEqual(['op-1']);
  });

  it('keeps how an operation ended that the service forgets meanwhile', async () => {
    const { outcome } = await waitForAll(
      projectOf((ms) => [
        runsFor(8_000, { id: 'op-2' })(ms),
        ...(ms < 5_000 ? [runsFor(1_000, { status: 'failed' })(ms)] : []),
      ]),
    );
    expect(outcome).toBe('failed');
  });
});

describe('waiting for everything that is unfinished of an endpoint', () => {
  it('leaves out the others, and takes in what the service starts meanwhile', async () => {
    const other = operationOf({ id: 'op-x', endpoint_id: 'ep-2' });
    const { outcome, operations } = await waitForAll(
      projectOf((ms) => [
        ...(ms < 1_000 ? [] : [runsFor(4_000, { id: 'op-2' })(ms)]),
        runsFor(2_000)(ms),
        other,
      ]),
      'ep-1',
    );
    expect([outcome, idsOf(operations)]).toEqual(['succeeded', ['op-1', 'op-2']]);
  });

  it('succeeds at once when there is nothing', async () => {
    const { outcome, endedAt } = await waitForAll(
      projectOf(() => []),
      'ep-1',
    );
    expect([outcome, endedAt]).toEqual(['succeeded', 0]);
  });

  it('refuses an endpoint that the project does not have', async () => {
    await expect(
      waitForAll(
        projectOf(() => [operationOf()]),
        'ep-9',
      ),
    ).rejects.toThrow('404 Not Found');
  });

  it('waits for what deletes the endpoint, although the service does not know it any more', async () => {
    const deletes = runsFor(2_000, { endpoint_id: 'ep-9', action: 'delete_timeline' });
    expect(
      (
        await waitForAll(
          projectOf((ms) => [deletes(ms)]),
          'ep-9',
        )
      ).outcome,
    ).toBe('succeeded');
  });
});
