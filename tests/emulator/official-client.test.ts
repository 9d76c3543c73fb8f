import { createApiClient, EndpointType } from '@neondatabase/api-client';
import { startEmulator } from 'postgres-control-emulator';
import { expect, it, onTestFinished } from 'vitest';

/** The official client of such a service, configured as its users do, for an emulator. */
async function startWithClient() {
  const emulator = await startEmulator({ operationMs: 5 });
  onTestFinished(() => emulator.stop());
  const client = createApiClient({ apiKey: emulator.apiKey, baseURL: emulator.url });
  const { data } = await client.createProject({ project: { name: 'official' } });
  const projectId = data.project.id;
  const waitFor = async (operations: readonly { id: string }[]): Promise<void> => {
    for (const { id } of operations) {
      const readStatus = async () =>
        (await client.getProjectOperation(projectId, id)).data.operation.status.valueOf();
      await expect.poll(readStatus).toBe('finished');
    }
  };
  await waitFor(data.operations);
  const { data: branch } = await client.createProjectBranch(projectId, { branch: { name: 'feature' } });
  await waitFor(branch.operations);
  return { emulator, client, projectId, branchId: branch.branch.id, waitFor };
}

it('the official client creates, changes and deletes an endpoint', async () => {
  const { emulator, client, projectId, branchId, waitFor } = await startWithClient();
  const { data: created } = await client.createProjectEndpoint(projectId, {
    endpoint: {
      branch_id: branchId,
      type: EndpointType.ReadWrite,
      autoscaling_limit_min_cu: 0.25,
      autoscaling_limit_max_cu: 1,
    },
  });
  const endpointId = created.endpoint.id;
  await waitFor(created.operations);
  const read = async () => (await client.getProjectEndpoint(projectId, endpointId)).data.endpoint;
  expect(await read()).toMatchObject({ current_state: 'active', autoscaling_limit_max_cu: 1 });

  const { data: updated } = await client.updateProjectEndpoint(projectId, endpointId, {
    endpoint: { autoscaling_limit_max_cu: 2, suspend_timeout_seconds: 600 },
  });
  await waitFor(updated.operations);
  expect(await read()).toMatchObject({ autoscaling_limit_max_cu: 2, suspend_timeout_seconds: 600 });
  expect(emulator.restarts(endpointId)).toBe(1);

  for (const [command, state] of [
    ['suspendProjectEndpoint', 'idle'],
    ['startProjectEndpoint', 'active'],
    ['restartProjectEndpoint', 'active'],
  ] as const) {
    await waitFor((await client[command](projectId, endpointId)).data.operations);
    expect([command, (await read()).current_state]).toEqual([command, state]);
  }
  const { data: listed } = await client.listProjectEndpoints(projectId);
  const { data: onBranch } = await client.listProjectBranchEndpoints(projectId, branchId);
  expect(listed.endpoints).toContainEqual(onBranch.endpoints[0]);

  await waitFor((await client.deleteProjectEndpoint(projectId, endpointId)).data.operations);
  expect((await client.deleteProjectEndpoint(projectId, endpointId)).status).toBe(204);
  await expect(read()).rejects.toMatchObject({ response: { status: 404 } });
});
