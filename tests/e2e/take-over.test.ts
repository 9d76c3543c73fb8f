import { describe, it } from 'vitest';
import { flat } from '../support/pulumi-stack';
import { startProgram } from '../support/start-stack';

const size = (maxCu: number) => `autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: ${maxCu},`;

/** Starts a program that declares an endpoint on the primary branch, which already has the default endpoint. */
async function startOnPrimaryBranch(args: string) {
  const service = await startProgram(args);
  const [primary] = service.emulator.endpoints(service.project.id);
  if (!primary) throw new Error('The project has no endpoint.');
  await service.stack.run('config', 'set', 'branchId', primary.branch_id);
  const writes = () =>
    service.emulator
      .requests()
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path}`);
  return { ...service, primary, writes };
}

describe('the default endpoint', () => {
  it('is taken over with adopt: true, after a preview of its changes', async ({ expect }) => {
    const { stack, emulator, primary, writes } = await startOnPrimaryBranch(`adopt: true, ${size(4)}`);
    const { screen } = await stack.run('preview');
    expect(flat(screen)).toContain(
      `adopt takes over endpoint ${primary.id} (since ${primary.created_at}) and changes its autoscalingLimitMaxCu`,
    );
    expect(flat(screen)).toContain('restarts the compute, drops its connections (active now)');
    expect(writes()).toEqual([]);
    await stack.run('up', '--yes');
    expect(writes()).toEqual([expect.stringMatching(/^PATCH .*endpoints\/ep-/)]);
    expect(emulator.endpoints().map(({ id }) => id)).toEqual([primary.id]);
    expect(emulator.endpoints()[0]).toMatchObject({ autoscaling_limit_max_cu: 4 });
    await stack.run('preview', '--expect-no-changes');
  });

  it('is not restarted by adopt: true with allowRestart: false, which stops the preview', async ({
    expect,
  }) => {
    const { stack, primary, writes } = await startOnPrimaryBranch(
      `adopt: true, allowRestart: false, ${size(4)}`,
    );
    for (const command of [['preview'], ['up', '--yes', '--skip-preview']]) {
      const { exitCode, screen } = await stack.try(...command);
      expect(exitCode).not.toBe(0);
      expect(flat(screen)).toContain('allowRestart is false, and this restarts the compute');
      expect(flat(screen)).toContain(`Nothing was changed on endpoint ${primary.id}`);
    }
    expect(writes()).toEqual([]);
  });

  it('is named by the error without adopt: true, which suggests adopt: true', async ({ expect }) => {
    const { stack, emulator, primary } = await startOnPrimaryBranch(size(1));
    const { exitCode, screen } = await stack.try('up', '--yes');
    expect(exitCode).not.toBe(0);
    expect(flat(screen)).toContain(`The read_write endpoint of the branch is ${primary.id}`);
    expect(flat(screen)).toContain('adopt: true takes it over');
    expect(emulator.endpoints().length).toBe(1);
  });
});

it('a program looks up live endpoints and operations, and reads an endpoint without managing it', async ({
  expect,
}) => {
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
