import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  getComputeEndpoint,
  getComputeEndpoints,
  getOperation,
  getOperations,
  listOperations,
  OperationWaitError,
  waitForOperation,
  waitForOperations,
} from '../../provider/src/index';
import { startHttpService } from '../support/start-http-service';

beforeEach(() => {
  return () => vi.unstubAllEnvs();
});

/** A service whose settings are in the environment of the lookup functions. */
async function startLookup(operationMs = 20) {
  const service = await startHttpService({ operationMs });
  vi.stubEnv('POSTGRES_COMPUTE_BASE_URL', service.emulator.url);
  vi.stubEnv('POSTGRES_COMPUTE_API_KEY', service.emulator.apiKey);
  const [primary] = service.emulator.endpoints(service.project.id);
  if (!primary) throw new Error('The project has no endpoint.');
  const suspend = async () => {
    const path = `/projects/${service.project.id}/endpoints/${primary.id}/suspend`;
    const headers = { authorization: `Bearer ${service.emulator.apiKey}` };
    const response = await fetch(`${service.emulator.url}${path}`, { method: 'POST', headers });
    const { operations } = (await response.json()) as { operations: { id: string }[] };
    return operations[0]?.id ?? '';
  };
  /** New operations run until the returned fault is cleared. */
  const hang = () =>
    service.emulator.inject({ match: {}, effect: { kind: 'operation-hangs' }, times: 'always' });
  return { ...service, projectId: service.project.id, primary, suspend, hang };
}

describe('listOperations', () => {
  it('yields every operation of the project, newest first, over all pages', async () => {
    const { emulator, projectId } = await startLookup();
    for (let number = 0; number < 120; number += 1) emulator.createBranch(projectId);
    const ids: string[] = [];
    for await (const { id } of listOperations({ projectId })) ids.push(id);
    expect(ids).toEqual(emulator.operations(projectId).map(({ id }) => id));
  });

  it('requests one page if the loop stops at the first operation', async () => {
    const { emulator, projectId } = await startLookup();
    for (let number = 0; number < 120; number += 1) emulator.createBranch(projectId);
    const before = emulator.requests().length;
    for await (const _ of listOperations({ projectId })) break;
    expect(emulator.requests().length - before).toBe(1);
  });

  it('filters by endpoint, action and status', async () => {
    const { projectId, primary } = await startLookup();
    const found: string[] = [];
    const filter = { endpointId: primary.id, actions: ['start_compute'], statuses: ['finished'] };
    for await (const { action } of listOperations({ projectId, ...filter })) found.push(action);
    expect(found).toEqual(['start_compute']);
  });
});

describe('waitForOperation', () => {
  it('returns the operation when it succeeds, and reports progress', async () => {
    const { projectId, suspend, hang } = await startLookup();
    const hanging = hang();
    const operationId = await suspend();
    const reported: string[] = [];
    const operation = await waitForOperation({
      projectId,
      operationId,
      onProgress: ([latest]) => {
        reported.push(latest?.status ?? '');
        hanging.clear();
      },
    });
    expect(operation).toMatchObject({ id: operationId, action: 'suspend_compute', status: 'finished' });
    expect([reported[0], reported.at(-1)]).toEqual(['running', 'finished']);
  });

  it('rejects with the operation when it fails', async () => {
    const { emulator, projectId, suspend } = await startLookup();
    emulator.inject({
      match: { action: 'suspend_compute' },
      effect: { kind: 'operation-fails', error: 'no' },
    });
    const operationId = await suspend();
    const failure = await waitForOperation({ projectId, operationId }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OperationWaitError);
    expect(failure).toMatchObject({
      outcome: 'failed',
      operations: [{ id: operationId, status: 'failed', error: 'no' }],
      message: `Not every operation succeeded: suspend_compute ${operationId} failed: no.`,
    });
  });

  it('rejects at the time-out', async () => {
    const { projectId, suspend } = await startLookup(60_000);
    const operationId = await suspend();
    await expect(waitForOperation({ projectId, operationId, timeoutSeconds: 0.2 })).rejects.toMatchObject({
      outcome: 'timed out',
      operations: [{ id: operationId, status: 'running' }],
    });
  });
});

describe('waitForOperations', () => {
  it('returns the operations of the endpoint when they succeed', async () => {
    const { emulator, projectId, primary, suspend, hang } = await startLookup();
    const hanging = hang();
    const id = await suspend();
    const onProgress = () => hanging.clear();
    const operations = await waitForOperations({ projectId, endpointId: primary.id, onProgress });
    expect(operations).toMatchObject([{ id, status: 'finished' }]);
    expect(emulator.endpoints()[0]).toMatchObject({ current_state: 'idle' });
  });

  it('returns an empty list if no operation is unfinished', async () => {
    const { projectId } = await startLookup();
    expect(await waitForOperations({ projectId })).toEqual([]);
  });

  it('rejects for an unknown endpoint', async () => {
    const { projectId } = await startLookup();
    await expect(waitForOperations({ projectId, endpointId: 'ep-none' })).rejects.toThrow(/404 Not Found/);
  });
});

describe('getComputeEndpoints', () => {
  it('returns the current state of every endpoint of the project', async () => {
    const { provider, declare, projectId, primary, suspend, hang } = await startLookup();
    const { id } = await provider.create(declare({ name: 'api', suspendTimeoutSeconds: 900 }));
    hang();
    await suspend();
    const endpoints = await getComputeEndpoints({ projectId });
    expect(endpoints).toMatchObject([
      { id: primary.id, host: primary.host, currentState: 'active', pendingState: 'idle' },
      { id, name: 'api', currentState: 'active', suspendTimeoutSeconds: 900 },
    ]);
    expect(endpoints[0]).not.toHaveProperty('name');
    expect(endpoints[1]).not.toHaveProperty('pendingState');
  });

  it('filters endpoints by branch', async () => {
    const { emulator, branch, projectId, primary } = await startLookup();
    const own = await getComputeEndpoints({ projectId, branchId: primary.branch_id });
    expect(own.map(({ id }) => id)).toEqual([primary.id]);
    expect(await getComputeEndpoints({ projectId, branchId: branch.id })).toEqual([]);
    expect(emulator.requests().at(-1)?.path).toMatch(/\/endpoints$/);
  });
});

it('getOperations returns the newest 100 operations by default', async () => {
  const { emulator, projectId } = await startLookup();
  for (let number = 0; number < 120; number += 1) emulator.createBranch(projectId);
  const newest = emulator.operations(projectId).slice(0, 100);
  expect((await getOperations({ projectId })).map(({ id }) => id)).toEqual(newest.map(({ id }) => id));
});

it('getOperation and getOperations return existing operations', async () => {
  const { emulator, projectId, primary } = await startLookup();
  const [newest] = await getOperations({ projectId, limit: 1 });
  const id = emulator.operations(projectId)[0]?.id;
  expect(newest).toMatchObject({ id, totalDurationMs: expect.any(Number) });
  expect(await getOperation({ projectId, operationId: newest?.id ?? '' })).toEqual(newest);
  expect(await getComputeEndpoint({ projectId, endpointId: primary.id })).toMatchObject({ id: primary.id });
});
