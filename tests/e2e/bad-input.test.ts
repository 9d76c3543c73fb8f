import { describe, expect, it } from 'vitest';
import { startProgram } from '../support/start-stack';

describe('a preview refuses', () => {
  it('invalid arguments, each with its property, its value and the allowed values', async ({ expect }) => {
    const { stack, emulator } = await startProgram(`
      type: 'primary', autoscalingLimitMinCu: 0.3, autoscalingLimitMaxCu: 1, suspendTimeoutSeconds: 700000`);
    const before = emulator.requests().length;
    const { exitCode, screen } = await stack.try('preview');
    expect(exitCode).not.toBe(0);
    expect(screen).toMatch(/property type value \{primary\} has a problem: must be read_write or read_only/);
    expect(screen).toMatch(
      /property suspendTimeoutSeconds value \{700000\} has a problem: must be -1 \(never\), 0/,
    );
    expect(emulator.requests().length).toBe(before);
  });

  it('a size that the table does not list', async ({ expect }) => {
    const { stack } = await startProgram('autoscalingLimitMinCu: 0.3, autoscalingLimitMaxCu: 1');
    const { exitCode, screen } = await stack.try('preview');
    expect(exitCode).not.toBe(0);
    expect(screen).toMatch(
      /property autoscalingLimitMinCu value \{0\.3\} has a problem: .*allowed are 0\.25, 0\.5, 1/,
    );
  });

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
