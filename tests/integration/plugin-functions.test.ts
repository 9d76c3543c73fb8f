import { describe, expect, it } from 'vitest';
import { callFunction } from '../../provider/src/plugin/functions';
import { makePluginProviders } from '../../provider/src/plugin/plugin-provider';
import { createEndpoint, startService } from '../support/start-service';

/** An emulator with one endpoint, and the functions of a plugin that is configured for it. */
async function startFunctions() {
  const service = await startService();
  const { emulator, project, branch } = service;
  const { id } = await createEndpoint(service);
  const settings = { apiKey: emulator.apiKey, baseUrl: emulator.url };
  const { core } = makePluginProviders(settings, { environment: {} });
  const call = (name: string, args: object) =>
    callFunction(`postgres-compute:index:${name}`, { ...args }, core);
  return { emulator, projectId: project.id, branchId: branch.id, id, call };
}

describe('the functions of the plugin', () => {
  it('return an endpoint, and the endpoints of a project or of a branch', async () => {
    const { projectId, branchId, id, call } = await startFunctions();
    expect(await call('getComputeEndpoint', { projectId, endpointId: id })).toMatchObject({
      values: { id, branchId, currentState: 'active', autoscalingLimitMaxCu: 1 },
    });
    expect(await call('getComputeEndpoints', { projectId })).toMatchObject({
      values: { endpoints: expect.arrayContaining([expect.objectContaining({ id })]) },
    });
    expect(await call('getComputeEndpoints', { projectId, branchId: 'br-none' })).toEqual({
      values: { endpoints: [] },
    });
  });

  it('return a connection string as a secret', async () => {
    const { projectId, id, call } = await startFunctions();
    const of = { projectId, endpointId: id, databaseName: 'app', roleName: 'app_owner' };
    const uri = expect.stringMatching(/^postgresql:/);
    expect(await call('getConnectionUri', of)).toMatchObject({ values: { uri }, secretNames: ['uri'] });
  });

  it('return an operation, and the latest operations of a project', async () => {
    const { projectId, id, call } = await startFunctions();
    const latest = await call('getOperations', { projectId, limit: 1 });
    expect(latest).toMatchObject({ values: { operations: [{ endpointId: id, status: 'finished' }] } });
    const [operation] = (latest as { values: { operations: { id: string }[] } }).values.operations;
    expect(await call('getOperation', { projectId, operationId: operation?.id })).toEqual({
      values: operation,
    });
  });

  it.each([
    ['getComputeEndpoint', {}, ['projectId', 'endpointId']],
    ['getComputeEndpoints', { projectId: '' }, ['projectId']],
    ['getOperations', { limit: 1_001 }, ['limit']],
  ])('%s refuses %j, with the arguments', async (name, wrong, properties) => {
    const { projectId, emulator, call } = await startFunctions();
    const before = emulator.requests().length;
    const args = properties.includes('projectId') ? wrong : { projectId, ...wrong };
    const result = await call(name, args);
    expect(result).toEqual({ failures: properties.map((property) => expect.objectContaining({ property })) });
    expect(emulator.requests().length).toBe(before);
  });

  it('report an unknown function by its token', async () => {
    const { call } = await startFunctions();
    await expect(call('getRegion', {})).rejects.toThrow(
      'postgres-compute:index:getRegion is not a function of this package.',
    );
  });
});
