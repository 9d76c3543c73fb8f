import { describe, expect, it } from 'vitest';
import { startProgram } from '../support/start-stack';

describe('a preview refuses', () => {
  it('a missing key, in one sentence that names both ways to set it', async ({ expect }) => {
    const { stack } = await startProgram();
    delete stack.environment.POSTGRES_COMPUTE_API_KEY;
    const { exitCode, screen } = await stack.try('preview');
    expect(exitCode).not.toBe(0);
    expect(screen).toMatch(
      /API key .* is missing: set it with `pulumi config set --secret postgresCompute:apiKey`/,
    );
    expect(screen).toContain('POSTGRES_COMPUTE_API_KEY');
    expect(screen).not.toMatch(/ at .*\.js:\d+/);
  });
});

it('a preview accepts values that are unknown until the update', async () => {
  const { stack, emulator } = await startProgram();
  await stack.writeProgram(`import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';
const config = new pulumi.Config();
const projectId = config.require('projectId');
const first = new ComputeEndpoint('first', { projectId, branchId: config.require('branchId'), type: 'read_write' });
new ComputeEndpoint('second', {
  projectId: first.projectId,
  branchId: first.branchId,
  type: first.id.apply(() => 'read_only' as const),
  autoscalingLimitMinCu: first.id.apply(() => 0.5),
  autoscalingLimitMaxCu: 1,
});
`);
  await stack.run('preview');
  await stack.run('up', '--yes');
  const second = emulator.endpoints().find(({ type }) => type === 'read_only');
  expect(second).toMatchObject({ autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 1 });
});
