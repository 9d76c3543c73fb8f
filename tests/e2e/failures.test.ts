import { describe, it } from 'vitest';
import { flat } from '../support/pulumi-stack';
import { startProgram } from '../support/start-stack';

const size = (maxCu: number, more = '') =>
  `autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: ${maxCu}, ${more}`;

type Program = Awaited<ReturnType<typeof startProgram>>;

const heldOn = ({ emulator, branch }: Program) =>
  emulator.endpoints().filter(({ branch_id }) => branch_id === branch.id);

async function stateOf({ stack }: Program) {
  const [resource] = (await stack.exportState()).endpoints;
  return resource;
}

describe('an operation that fails', () => {
  it('fails the update and keeps the endpoint, and the next one retries', async ({ expect }) => {
    const program = await startProgram(size(1));
    const { stack, emulator, declare } = program;
    await stack.run('up', '--yes');
    const error = 'no capacity in the region';
    emulator.inject({
      match: { action: 'apply_config' },
      effect: { kind: 'operation-fails', error },
      times: 1,
    });
    await declare(size(2));
    const failed = await stack.try('up', '--yes', '--skip-preview');
    expect(failed.exitCode).not.toBe(0);
    const [{ id = '' } = {}] = heldOn(program);
    expect(flat(failed.screen)).toMatch(
      new RegExp(`update of endpoint ${id}: operation apply_config [-0-9a-f]{36} failed: ${error}`),
    );
    expect(await stateOf(program)).toMatchObject({
      id,
      outputs: {
        unsettledOperations: expect.arrayContaining([expect.objectContaining({ status: 'failed' })]),
      },
    });
    await stack.run('refresh', '--yes');
    // A failed update leaves the inputs of before in state.
    expect(await stateOf(program)).toMatchObject({ inputs: { autoscalingLimitMaxCu: 2 } });
    const { screen } = await stack.run('preview');
    expect(flat(screen)).toContain('`pulumi up` resumes apply_config');
    await stack.run('up', '--yes', '--skip-preview');
    expect(heldOn(program)).toMatchObject([{ id, autoscaling_limit_max_cu: 2, current_state: 'active' }]);
    expect((await stateOf(program))?.outputs).not.toHaveProperty('unsettledOperations');
    await stack.run('preview', '--expect-no-changes');
  });
});
