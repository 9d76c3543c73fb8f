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
import { startService } from '../support/start-service';

beforeEach(() => {
  return () => vi.unstubAllEnvs();
});

/** A service whose settings are in the environment of the lookup functions. */
async function startLookup() {
  const service = await startService();
  vi.stubEnv('POSTGRES_COMPUTE_BASE_URL', service.emulator.url);
  vi.stubEnv('POSTGRES_COMPUTE_API_KEY', service.emulator.apiKey);
  const [primary] = service.emulator.endpoints(service.project.id);
  if (!primary) throw new Error('The project has no endpoint.');
  const suspend = async () => {
    await service.send('POST', `${primary.id}/suspend`);
    return service.emulator.operations(service.project.id)[0]?.id ?? '';
  };
  /** New operations run until the returned fault is cleared. */
  const hang = () =>
    service.emulator.inject({ match: {}, effect: { kind: 'operation-hangs' }, times: 'always' });
  return { ...service, projectId: service.project.id, primary, suspend, hang };
}

it('listOperations yields every operation that fits, over all pages', async () => {
  const { emulator, projectId } = await startLookup();
  for (let number = 0; number < 120; number += 1) emulator.createBranch(projectId);
  const filter = { actions: ['create_branch'], statuses: ['finished'] };
  const ids: string[] = [];
  for await (const { id } of listOperations({ projectId, ...filter })) ids.push(id);
  const fitting = emulator.operations(projectId).filter(({ action }) => action === 'create_branch');
  expect(ids).toEqual(fitting.map(({ id }) => id));
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
});

describe('waitForOperations', () => {
  it('returns the operations of the endpoint when they succeed', async () => {
    const { emulator, projectId, primary, suspend, hang } = await startLookup();
    const hanging = hang();
    const id = await suspend();
    const onProgress = () => hanging.clear();
    const operations = await waitForOperations({ projectId, endpointId: primary.id, onProgress });
    expect(operations).toContainEqual(expect.objectContaining({ id, status: 'finished' }));
    expect(emulator.endpoints()[0]).toMatchObject({ current_state: 'idle' });
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
