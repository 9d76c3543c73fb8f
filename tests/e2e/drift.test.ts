import { describe, it } from 'vitest';
import { startProgram } from '../support/start-stack';

const args = 'autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 1, suspendTimeoutSeconds: 600,';

describe('drift', () => {
  it('of an attribute appears in preview --refresh, and up --refresh reverts it', async ({ expect }) => {
    const { stack, emulator } = await startProgram(args);
    await stack.run('up', '--yes');
    const [{ id = '' } = {}] = (await stack.exportState()).endpoints;
    emulator.changeEndpoint(id, { suspend_timeout_seconds: 60 });
    const { screen } = await stack.run('preview', '--refresh', '--diff');
    expect(screen).toMatch(/suspendTimeoutSeconds\s*: 60 => 600/);
    expect((await stack.try('refresh', '--yes', '--expect-no-changes')).exitCode).not.toBe(0);
    await stack.run('up', '--yes', '--refresh');
    expect(emulator.endpoints().find((endpoint) => endpoint.id === id)?.suspend_timeout_seconds).toBe(600);
    await stack.run('refresh', '--yes', '--expect-no-changes');
  });

  it('by deletion of the endpoint is repaired by up --refresh, which creates it again', async ({
    expect,
  }) => {
    const { stack, emulator, branch } = await startProgram(args);
    await stack.run('up', '--yes');
    const [{ id = '' } = {}] = (await stack.exportState()).endpoints;
    emulator.deleteEndpoint(id);
    await stack.run('up', '--yes', '--refresh');
    const held = emulator.endpoints().filter(({ branch_id }) => branch_id === branch.id);
    expect(held.map((endpoint) => endpoint.id)).toEqual(
      (await stack.exportState()).endpoints.map((resource) => resource.id),
    );
    expect(held).toHaveLength(1);
  });
});
