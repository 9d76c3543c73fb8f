import { it } from 'vitest';
import { startProgram } from '../support/start-stack';

it('a program looks up live endpoints and operations', async ({ expect }) => {
  const { stack, emulator, project } = await startProgram();
  const [primary] = emulator.endpoints(project.id);
  if (!primary) throw new Error('The project has no endpoint.');
  await stack.writeProgram(`import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint, getComputeEndpoint, getComputeEndpoints, getOperation, getOperations } from 'pulumi-postgres-compute';
const projectId = new pulumi.Config().require('projectId');
const endpointId = '${primary.id}';
export const host = ComputeEndpoint.get('primary', { projectId, endpointId }).host;
export const live = getComputeEndpoint({ projectId, endpointId });
export const all = getComputeEndpoints({ projectId });
export const newest = getOperations({ projectId, limit: 1 }).then(([first]) =>
  getOperation({ projectId, operationId: first!.id }));
`);
  await stack.run('up', '--yes');
  const { stdout } = await stack.run('stack', 'output', '--json');
  const state = { id: primary.id, currentState: 'active', projectId: project.id };
  expect(JSON.parse(stdout)).toMatchObject({
    host: primary.host,
    live: state,
    all: [state],
    newest: { projectId: project.id, status: 'finished', failuresCount: 0 },
  });
  await stack.run('refresh', '--yes', '--expect-no-changes');
  await stack.run('destroy', '--yes');
  expect(emulator.endpoints().map(({ id }) => id)).toEqual([primary.id]);
});
