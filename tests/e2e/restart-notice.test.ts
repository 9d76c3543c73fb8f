import { describe, it } from 'vitest';
import { flat } from '../support/pulumi-stack';
import { startProgram } from '../support/start-stack';

const size = (maxCu: number, more = '') =>
  `autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: ${maxCu}, ${more}`;

describe('a preview of a change of size', () => {
  it('warns on the resource, on screen and in JSON, while active', async ({ expect }) => {
    const { stack, declare } = await startProgram(size(1));
    await stack.run('up', '--yes');
    await declare(size(2));
    const restartWarning = 'restarts the compute, drops its connections (active now): max 1 => 2 CU';
    const { screen } = await stack.run('preview');
    expect(flat(screen)).toContain(`ComputeEndpoint (app): warning: ${restartWarning}`);
    const { stdout } = await stack.run('preview', '--json');
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { urn?: string; message: string; severity: string }[];
    };
    expect(diagnostics).toContainEqual(
      expect.objectContaining({
        urn: expect.stringMatching(/ComputeEndpoint::app$/),
        severity: 'warning',
        message: expect.stringContaining(restartWarning),
      }),
    );
  });

  it('reports no drop while the compute is idle, with one GET', async ({ expect }) => {
    const { stack, emulator, declare } = await startProgram(size(1));
    await stack.run('up', '--yes');
    const [id = ''] = (await stack.exportState()).endpoints.map((resource) => resource.id ?? '');
    await fetch(
      `${emulator.url}/projects/${emulator.endpoints().find((endpoint) => endpoint.id === id)?.project_id}/endpoints/${id}/suspend`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${emulator.apiKey}` },
      },
    );
    await expect
      .poll(() => emulator.endpoints().find((endpoint) => endpoint.id === id)?.current_state)
      .toBe('idle');
    await declare(size(2));
    const before = emulator.requests().length;
    const { screen } = await stack.run('preview');
    expect(screen).toContain('takes effect at the next start, no connections to drop');
    expect(
      emulator
        .requests()
        .slice(before)
        .map(({ method }) => method),
    ).toEqual(['GET']);
  });

  it('fails with allowRestart: false, as does the update', async ({ expect }) => {
    const { stack, emulator, declare } = await startProgram(size(1));
    await stack.run('up', '--yes');
    await declare(size(2, 'allowRestart: false'));
    for (const command of [['preview'], ['up', '--yes', '--skip-preview']]) {
      const { exitCode, screen } = await stack.try(...command);
      expect(exitCode).not.toBe(0);
      expect(screen).toMatch(/allowRestart is false, and this restarts the compute/);
      expect(screen).not.toMatch(/ at .*\.js:\d+/);
    }
    expect(emulator.requests().filter(({ method }) => method === 'PATCH')).toEqual([]);
    await declare(size(1, 'allowRestart: false, suspendTimeoutSeconds: 900'));
    await stack.run('up', '--yes');
  });
});

describe('a preview reports', () => {
  it('what a move, a stop and a replacement mean for connected clients', async ({ expect }) => {
    const { stack, emulator, project, declare } = await startProgram(size(1));
    await stack.run('up', '--yes');
    const target = emulator.createBranch(project.id);
    const changes = {
      [`branchId: '${target.id}',`]: 'moves the endpoint, drops its connections',
      'disabled: true,': 'stops the compute, drops its connections',
      "type: 'read_only',": 'replaces the endpoint, changes its host',
    };
    for (const [change, sentence] of Object.entries(changes)) {
      await declare(size(1, change));
      expect(flat((await stack.run('preview')).screen)).toContain(`${sentence}`);
    }
    await declare(size(1, "name: 'renamed', poolerEnabled: true, suspendTimeoutSeconds: 900"));
    const { screen } = await stack.run('preview');
    expect(screen).toContain('1 to update');
    expect(screen).not.toContain('Diagnostics');
  });

  it('the restart by restartTriggers, which the update performs once', async ({ expect }) => {
    const { stack, emulator, declare } = await startProgram(size(1, "restartTriggers: { release: '1' }"));
    await stack.run('up', '--yes');
    await declare(size(1, "restartTriggers: { release: '2' }, allowRestart: false"));
    const refused = await stack.try('preview');
    expect(refused.exitCode).not.toBe(0);
    expect(flat(refused.screen)).toContain('allowRestart is false, and this restarts');
    await declare(size(1, "restartTriggers: { release: '2' }"));
    const { screen } = await stack.run('preview');
    expect(screen).toContain('[diff: ~restartTriggers]');
    expect(flat(screen)).toContain(
      'warning: restarts the compute, drops its connections (active now): restartTriggers',
    );
    await stack.run('up', '--yes');
    const [id = ''] = (await stack.exportState()).endpoints.map((resource) => resource.id ?? '');
    expect(emulator.connectionDrops(id)).toBe(1);
    const isUp = ({ current_state }: { current_state: string }) => current_state === 'active';
    expect(
      emulator
        .endpoints()
        .filter(({ id: each }) => each === id)
        .map(isUp),
    ).toEqual([true]);
  });

  it('an unknown size, for which the update enforces allowRestart: false', async ({ expect }) => {
    const { stack, emulator, declare } = await startProgram(size(1));
    await stack.run('up', '--yes');
    // The output of a new resource is unknown until it is created.
    await stack.writeProgram(sizeOfAnother(1));
    await stack.run('config', 'set', 'postgresCompute:allowRestart', 'false');
    const { screen } = await stack.run('preview');
    expect(flat(screen)).toContain('unless the value stays the same: max 1 => a size not known yet');
    expect(flat(screen)).toContain('`pulumi up` stops if the new autoscalingLimitMaxCu drops connections');
    await stack.run('up', '--yes', '--skip-preview');
    await stack.writeProgram(sizeOfAnother(2));
    const stopped = await stack.try('up', '--yes', '--skip-preview');
    expect(stopped.exitCode).not.toBe(0);
    expect(flat(stopped.screen)).toContain('allowRestart is false, and this restarts the compute');
    expect(emulator.requests().filter(({ method }) => method === 'PATCH')).toEqual([]);
    await declare(size(1, 'allowRestart: false, waitForOperations: true'));
    await stack.run('up', '--yes');
    expect(emulator.requests().filter(({ method }) => method === 'PATCH')).toEqual([]);
  });
});

/** A program whose endpoint takes its largest size from an output of a replica on the same branch. */
function sizeOfAnother(maxCu: number): string {
  return `import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';
const config = new pulumi.Config();
const [projectId, branchId] = [config.require('projectId'), config.require('branchId')];
const autoscalingLimitMinCu = 0.25;
const replica = new ComputeEndpoint('replica-${maxCu}', {
  projectId, branchId, type: 'read_only', autoscalingLimitMinCu, autoscalingLimitMaxCu: ${maxCu},
});
const autoscalingLimitMaxCu = replica.maxSize.vcpu;
new ComputeEndpoint('app', { projectId, branchId, type: 'read_write', autoscalingLimitMinCu, autoscalingLimitMaxCu });
`;
}

it('a preview without a change of size makes no request', async ({ expect }) => {
  const { stack, emulator, declare } = await startProgram(size(1));
  await stack.run('up', '--yes');
  const before = emulator.requests().length;
  await stack.run('preview', '--expect-no-changes');
  await declare(size(1, 'suspendTimeoutSeconds: 900'));
  const { screen } = await stack.run('preview');
  expect(screen).not.toContain('warning');
  expect(emulator.requests().length).toBe(before);
});
