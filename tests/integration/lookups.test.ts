import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  getBranch,
  getComputeEndpoint,
  getComputeEndpoints,
  getOperation,
  getOperations,
  getProject,
  listOperations,
  OperationWaitError,
  waitForOperation,
  waitForOperations,
} from '../../provider/src/index';
import { startCommand } from '../support/start-command';

/** A service whose settings are in the environment of the lookup functions. */
async function startLookup() {
  const service = await startCommand();
  const { emulator, project, primary } = service;
  for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const suspend = async () => {
    await service.send('POST', `${primary.id}/suspend`);
    return emulator.operations(project.id)[0]?.id ?? '';
  };
  /** New operations run until the returned fault is cleared. */
  const hang = () => emulator.inject({ match: {}, effect: { kind: 'operation-hangs' }, times: 'always' });
  return { ...service, projectId: project.id, suspend, hang };
}

it('getBranch finds a branch by id, by name, and the default branch', async () => {
  const { projectId, branch, primary } = await startLookup();
  const found = await getBranch({ projectId, name: 'feature' });
  expect(found).toMatchObject({ id: branch.id, projectId, parentId: primary.branch_id, default: false });
  expect(await getBranch({ projectId, branchId: branch.id })).toEqual(found);
  expect(await getBranch({ projectId })).toMatchObject({ id: primary.branch_id, default: true });
});

it('getProject lists the ids when several projects have the name', async () => {
  const { projectId, emulator } = await startLookup();
  const other = emulator.createProject({ name: 'test' });
  const ids = [projectId, other.id].sort().join(', ');
  await expect(getProject({ name: 'test' })).rejects.toThrow(
    `The account has more than one project named "test": ${ids}. Give the id.`,
  );
});

it.each([
  ['getProject: give either projectId or name.', () => getProject({})],
  ['getProject: give either projectId or name.', () => getProject({ projectId: 'p', name: 'test' })],
  [
    'getBranch: give branchId or name, not both.',
    () => getBranch({ projectId: 'p', branchId: 'br-1', name: 'main' }),
  ],
])('an unclear lookup is refused: %s', async (reason, lookUp) => {
  await startLookup();
  await expect(lookUp()).rejects.toThrow(reason);
});

it('getComputeEndpoints returns the state of every endpoint of a project', async () => {
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
  expect(await getComputeEndpoint({ projectId, endpointId: id ?? '' })).toEqual(endpoints[1]);
});

it('operations are read one by one, the newest 100, or all that fit', async () => {
  const { emulator, projectId } = await startLookup();
  for (let number = 0; number < 120; number += 1) emulator.createBranch(projectId);
  const ids = emulator.operations(projectId).map(({ id }) => id);
  const newest = await getOperations({ projectId });
  expect(newest.map(({ id }) => id)).toEqual(ids.slice(0, 100));
  expect(await getOperation({ projectId, operationId: ids[0] ?? '' })).toEqual(newest[0]);
  const fitting = [];
  for await (const { action } of listOperations({ projectId, actions: ['create_branch'] }))
    fitting.push(action);
  expect(fitting).toHaveLength(emulator.branches(projectId).length - 1);
});

describe('a wait', () => {
  it('for an operation returns it when it succeeds, and reports progress', async () => {
    const { projectId, suspend, hang } = await startLookup();
    const hanging = hang();
    const operationId = await suspend();
    const reported: string[] = [];
    const onProgress = ([latest]: readonly { status: string }[]) => {
      reported.push(latest?.status ?? '');
      hanging.clear();
    };
    const operation = await waitForOperation({ projectId, operationId, onProgress });
    expect(operation).toMatchObject({ id: operationId, action: 'suspend_compute', status: 'finished' });
    expect([reported[0], reported.at(-1)]).toEqual(['running', 'finished']);
  });

  it('for those of an endpoint returns them, and ignores others', async () => {
    const { emulator, projectId, primary, suspend, hang } = await startLookup();
    const hanging = hang();
    const id = await suspend();
    emulator.addOperation(projectId, { action: 'create_branch', status: 'running' });
    const onProgress = () => hanging.clear();
    const operations = await waitForOperations({ projectId, endpointId: primary.id, onProgress });
    expect(operations).toContainEqual(expect.objectContaining({ id, status: 'finished' }));
  });

  it('rejects with the operation when it fails', async () => {
    const { emulator, projectId, suspend } = await startLookup();
    emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-fails' } });
    const operationId = await suspend();
    const failure = await waitForOperation({ projectId, operationId }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OperationWaitError);
    expect(failure).toMatchObject({ outcome: 'failed', operations: [{ id: operationId, status: 'failed' }] });
  });
});
