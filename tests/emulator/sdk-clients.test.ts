import { createNeonClient } from '@neon/sdk';
import { createApiClient } from '@neondatabase/api-client';
import { startEmulator } from 'postgres-control-emulator';
import { expect, it, onTestFinished } from 'vitest';

async function start() {
  const emulator = await startEmulator({ operationMs: 5 });
  onTestFinished(() => emulator.stop());
  return emulator;
}

/** The service's SDK for TypeScript, configured as its users do, with a project. It waits for every operation. */
async function startWithSdk() {
  const emulator = await start();
  const neon = createNeonClient({
    apiKey: emulator.apiKey,
    baseUrl: emulator.url,
    throwOnError: true,
    waitForReadiness: true,
    wait: { pollIntervalMs: 5 },
  });
  const { id: projectId } = await neon.projects.create({ name: 'sdk' });
  const main = await neon.branches.getDefault({ projectId });
  return { emulator, neon, projectId, main };
}

it('the older official client reads, writes and gets an error as such', async () => {
  const emulator = await start();
  const client = createApiClient({ apiKey: emulator.apiKey, baseURL: emulator.url });
  const { data } = await client.createProject({ project: { name: 'official' } });
  const { data: listed } = await client.listProjectEndpoints(data.project.id);
  expect(listed.endpoints).toMatchObject([{ id: data.endpoints[0]?.id, type: 'read_write' }]);
  const unknown = client.getProjectEndpoint(data.project.id, 'ep-none');
  await expect(unknown).rejects.toMatchObject({ response: { status: 404 } });
});

it('the SDK creates a branch that it can connect to, and lists branches', async () => {
  const { neon, projectId, main } = await startWithSdk();
  const { id: branchId } = await neon.branches.create({ projectId, name: 'dev', noCompute: true });
  expect(await neon.branches.get({ projectId, branchId })).toMatchObject({
    parent_id: main.id,
    current_state: 'ready',
  });
  const { branch, endpoint, connectionString } = await neon.branches.createAndConnect({
    projectId,
    name: 'trial',
    parentId: branchId,
    compute: { minCu: 1, maxCu: 2 },
    pooled: false,
  });
  expect(endpoint).toMatchObject({ autoscaling_limit_max_cu: 2, host: new URL(connectionString).host });
  const listed = await neon.branches.list({ projectId, sort_by: 'name', sort_order: 'asc', limit: 2 }).all();
  expect(listed.map(({ name }) => name)).toEqual(['dev', 'main', 'trial']);
  await neon.branches.delete({ projectId, branchId: branch.id });
  await expect(neon.branches.get({ projectId, branchId: branch.id })).rejects.toMatchObject({ status: 404 });
  await neon.branches.setDefault({ projectId, branchId });
  await expect(neon.branches.delete({ projectId, branchId })).rejects.toMatchObject({
    code: 'BRANCH_IS_DEFAULT',
  });
});

it('the SDK waits for each change and command of an endpoint', async () => {
  const { neon, projectId } = await startWithSdk();
  const { endpoints } = neon.postgres;
  const { id: branch_id } = await neon.branches.create({ projectId, noCompute: true });
  const created = await endpoints.create({ projectId, branch_id, type: 'read_write' });
  const at = { projectId, endpointId: created.id };
  await endpoints.update({ ...at, autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2 });
  expect(await endpoints.listByBranch({ projectId, branchId: branch_id })).toMatchObject([
    { id: created.id, autoscaling_limit_max_cu: 2, current_state: 'active' },
  ]);
  for (const [command, state] of [
    ['suspend', 'idle'],
    ['start', 'active'],
    ['restart', 'active'],
  ] as const) {
    await endpoints[command](at);
    expect([command, (await endpoints.get(at)).current_state]).toEqual([command, state]);
  }
  await endpoints.delete(at);
  expect(await endpoints.list({ projectId })).toHaveLength(1);
});

it('the SDK makes connection strings of a role and a database', async () => {
  const { emulator, neon, projectId, main } = await startWithSdk();
  const [endpoint] = emulator.endpoints(projectId);
  const { roles, databases } = neon.postgres;
  const at = { projectId, branchId: main.id };
  await roles.create({ ...at, name: 'bob' });
  await databases.create({ ...at, name: 'more', owner_name: 'bob' });
  const choice = { roleName: 'bob', databaseName: 'more', pooled: false };
  const password = await roles.password({ ...at, roleName: 'bob' });
  const uri = `postgresql://bob:${password}@${endpoint?.host}/more?sslmode=require`;
  expect(await neon.postgres.connectionString({ projectId, ...choice })).toBe(uri);
  const { password: changed } = await roles.resetPassword({ ...at, roleName: 'bob' });
  expect(changed).not.toBe(password);
});
