import { describe, expect, it, vi } from 'vitest';
import { endpointOf } from '../../../tests/support/endpoint';
import { useFakeClock } from '../../../tests/support/fake-clock';
import { operationOf } from '../../../tests/support/operation';
import { ControlApiError } from '../control-api/control-api-error';
import { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { OperationPoller } from '../operations/operation-poller';
import type { WaitResult } from '../operations/wait-for-operations';
import {
  awaitOperation,
  awaitUnfinished,
  type WaitRequest,
  type WatchedProject,
} from './wait-for-unfinished';

const start = Date.parse('2026-01-01T00:00:00Z');

useFakeClock(start);

const notFound = (path: string, isFromService = true) =>
  new ControlApiError({ method: 'GET', path, status: 404, reason: 'not found', isFromService });

/** A project with endpoint ep-1. Its operations, newest first, come from `now`, given the milliseconds since the start. */
function projectOf(now: (elapsedMs: number) => Operation[], change: Partial<WatchedProject['api']> = {}) {
  const requests: string[] = [];
  const api: WatchedProject['api'] = {
    async listOperations(_projectId, { limit = 50, cursor = '0' } = {}) {
      requests.push('list');
      const first = Number(cursor);
      const operations = now(Date.now() - start).slice(first, first + limit);
      return { operations, pagination: { cursor: String(first + operations.length) } };
    },
    async getOperation(_projectId, id) {
      requests.push(id);
      const known = now(Date.now() - start).find((operation) => operation.id === id);
      if (known) return known;
      throw notFound(`/operations/${id}`);
    },
    async getEndpoint(_projectId, id) {
      requests.push(id);
      if (id === 'ep-1') return endpointOf();
      throw notFound(`/endpoints/${id}`);
    },
    ...change,
  };
  const project = { id: 'p-1', api, poller: new OperationPoller(api, 'p-1') };
  return { project, requests };
}

/** Lets a minute pass, and reports when the wait ended. */
async function waited(wait: (request: WaitRequest) => Promise<WaitResult>) {
  const seen: string[] = [];
  const ending = wait({
    deadline: new Deadline(60_000),
    onProgress: (operations) => seen.push(operations.map(({ status }) => status).join(' ')),
  }).then((result) => ({ ...result, endedAt: Date.now() - start, seen }));
  // Attached before time passes, so that a rejection is never unhandled.
  ending.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(61_000);
  return ending;
}

const waitForOne = ({ project }: ReturnType<typeof projectOf>) =>
  waited((request) => awaitOperation(project, 'op-1', request));

const waitForAll = ({ project }: ReturnType<typeof projectOf>, endpointId?: string) =>
  waited((request) => awaitUnfinished(project, endpointId, request));

const runsFor =
  (durationMs: number, change: Partial<Operation> = {}) =>
  (elapsedMs: number) =>
    operationOf({ status: 'finished', ...change, ...(elapsedMs < durationMs && { status: 'running' }) });

/** `count` finished operations of another endpoint, created `seconds` after the start. */
const othersOf = (count: number, seconds: number) =>
  Array.from({ length: count }, (_, index) =>
    operationOf({
      id: `op-n${index}`,
      endpoint_id: 'ep-2',
      status: 'finished',
      created_at: new Date(start + seconds * 1_000).toISOString(),
    }),
  );

const idsOf = (operations: readonly Operation[]) => operations.map(({ id }) => id);

describe('awaitOperation', () => {
  it('returns when the operation finishes, with progress for each poll', async () => {
    const { endedAt, seen } = await waitForOne(projectOf((ms) => [runsFor(500)(ms)]));
    expect([endedAt, seen]).toEqual([720, ['running', 'running', 'finished']]);
  });

  it('returns at once for an operation that has failed', async () => {
    const project = projectOf(() => [operationOf({ status: 'failed' })]);
    const { outcome, endedAt } = await waitForOne(project);
    expect([outcome, endedAt, project.requests]).toEqual(['failed', 0, ['op-1']]);
  });

  it('does not wait for the operations that follow', async () => {
    const next = operationOf({ id: 'op-2' });
    const { outcome, operations } = await waitForOne(projectOf((ms) => [next, runsFor(1_000)(ms)]));
    expect([outcome, idsOf(operations)]).toEqual(['succeeded', ['op-1']]);
  });

  it('refuses an operation that the project does not have', async () => {
    await expect(waitForOne(projectOf(() => []))).rejects.toThrow('404 Not Found');
  });

  it('rejects when the operation disappears, because its outcome is unknown', async () => {
    const project = projectOf((ms) => (ms < 2_000 ? [operationOf()] : []));
    await expect(waitForOne(project)).rejects.toThrow(
      'The service no longer has operation op-1 (start_compute), so its outcome is unknown.',
    );
  });
});

describe('awaitUnfinished for a project', () => {
  it('waits for the last operation of all endpoints', async () => {
    const { outcome, operations, endedAt } = await waitForAll(
      projectOf((ms) => [
        runsFor(1_000)(ms),
        runsFor(4_000, { id: 'op-2', endpoint_id: 'ep-2', status: 'failed' })(ms),
      ]),
    );
    expect([outcome, idsOf(operations)]).toEqual(['failed', ['op-1', 'op-2']]);
    expect(endedAt).toBeGreaterThanOrEqual(4_000);
  });

  it('does not count operations that failed earlier', async () => {
    const failed = operationOf({ id: 'op-0', status: 'failed' });
    const { outcome, operations } = await waitForAll(projectOf((ms) => [runsFor(1_000)(ms), failed]));
    expect([outcome, idsOf(operations)]).toEqual(['succeeded', ['op-1']]);
  });

  it('succeeds at once if no operation is unfinished', async () => {
    const { outcome, operations, endedAt } = await waitForAll(projectOf(() => []));
    expect([outcome, operations, endedAt]).toEqual(['succeeded', [], 0]);
  });

  it('finds an unfinished operation behind thousands of newer ones', async () => {
    const newer = othersOf(2_500, 60);
    const { operations } = await waitForAll(projectOf((ms) => [...newer, runsFor(1_000)(ms)]));
    expect(idsOf(operations)).toEqual(['op-1']);
  });
});

describe('awaitUnfinished for an endpoint', () => {
  it('ignores other endpoints, and waits for later operations', async () => {
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

  it('waits for a suspension that starts during the wait', async () => {
    const suspension = runsFor(4_000, { id: 'op-2', action: 'suspend_compute', status: 'failed' });
    const { outcome, operations } = await waitForAll(
      projectOf((ms) => [...(ms < 1_000 ? [] : [suspension(ms)]), runsFor(2_000)(ms)]),
      'ep-1',
    );
    expect([outcome, idsOf(operations)]).toEqual(['failed', ['op-1', 'op-2']]);
  });

  it('reads back no farther than the creation of the endpoint', async () => {
    const before = othersOf(2_500, -60);
    const project = projectOf(() => before);
    const { outcome } = await waitForAll(project, 'ep-1');
    expect([outcome, project.requests]).toEqual(['succeeded', ['ep-1', 'list']]);
  });

  it('succeeds at once if no operation is unfinished', async () => {
    const { outcome, endedAt } = await waitForAll(
      projectOf(() => []),
      'ep-1',
    );
    expect([outcome, endedAt]).toEqual(['succeeded', 0]);
  });

  it('refuses an endpoint that the project does not have', async () => {
    const project = projectOf(() => [operationOf()]);
    await expect(waitForAll(project, 'ep-9')).rejects.toEqual(notFound('/endpoints/ep-9'));
  });

  it("does not take a proxy's 404 as proof that the endpoint is gone", async () => {
    const deletes = operationOf({ endpoint_id: 'ep-9', action: 'delete_timeline', status: 'finished' });
    const project = projectOf(() => [deletes], {
      getEndpoint: () => Promise.reject(notFound('/endpoints/ep-9', false)),
    });
    await expect(waitForAll(project, 'ep-9')).rejects.toEqual(notFound('/endpoints/ep-9', false));
    expect(project.requests).toEqual([]);
  });

  it('waits for the deletion of an endpoint that the service no longer shows', async () => {
    const deletes = runsFor(2_000, { endpoint_id: 'ep-9', action: 'delete_timeline' });
    const { outcome, operations } = await waitForAll(
      projectOf((ms) => [deletes(ms)]),
      'ep-9',
    );
    expect([outcome, idsOf(operations)]).toEqual(['succeeded', ['op-1']]);
  });
});
