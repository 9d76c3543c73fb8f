import { describe, it } from 'vitest';
import { type DoorName, doorNames } from '../support/program-doors';
import { flat } from '../support/pulumi-stack';
import { startResources } from '../support/start-stack';

const up = ['up', '--yes', '--skip-preview'];

/** A stack whose program is rewritten, and the ids that the service has. */
async function startStack(door: DoorName) {
  const program = await startResources(door, { operationMs: 20 });
  const { emulator, project } = program;
  const branchId = (name: string) => emulator.branches(project.id).find((branch) => branch.name === name)?.id;
  const endpointIds = () => emulator.endpoints(project.id).map(({ id }) => id);
  return { ...program, branchId, endpointIds };
}

describe.each(doorNames)('by the %s provider', (door) => {
  it('a delete yields to an adopter that the engine skips', async ({ expect }) => {
    const { stack, emulator, declare, branchId } = await startStack(door);
    const replica = (seconds: number) =>
      `const r = new ComputeEndpoint('r', { projectId, branchId: feature, type: 'read_only', suspendTimeoutSeconds: ${seconds} });`;
    await declare(`${replica(600)} new Branch('one', { projectId, name: 'data' });`);
    await stack.run(...up);
    const id = branchId('data');
    await declare(
      `${replica(700)} new Branch('uno', { projectId, name: 'data', adopt: true }, { dependsOn: [r] });`,
    );
    const fault = emulator.inject({ match: { action: 'apply_config' }, effect: { kind: 'operation-fails' } });
    const { exitCode, screen } = await stack.try(...up, '--continue-on-error');
    fault.clear();
    expect(exitCode).not.toBe(0);
    expect(flat(screen)).toContain(':Branch::uno is to adopt it, and has not taken it over');
    expect(branchId('data')).toBe(id);
    await stack.run(...up);
    expect(branchId('data')).toBe(id);
    await stack.run('preview', '--expect-no-changes');
  });

  it('a branch with an endpoint that gives its id as text is kept', async ({ expect }) => {
    const { stack, declare, branchId, endpointIds } = await startStack(door);
    const branch = `new Branch('a', { projectId, name: 'a' });`;
    await declare(branch);
    await stack.run(...up);
    const on = (id: string) =>
      `new ComputeEndpoint('e', { projectId, branchId: ${id}, type: 'read_write' });`;
    const text = `'${branchId('a')}'`;
    await declare(`${branch} ${on(text)}`);
    await stack.run(...up);
    const before = endpointIds();
    await declare(on(text));
    const { exitCode, screen } = await stack.try(...up);
    expect(exitCode).not.toBe(0);
    expect(flat(screen)).toContain('which this program keeps, would be deleted with the branch');
    expect(endpointIds()).toEqual(before);
    await declare(on('feature'));
    await stack.run(...up);
    expect(endpointIds()).toEqual(before);
    expect(branchId('a')).toBeUndefined();
  });

  it('a replacement does not take the name that retainOnDelete keeps', async ({ expect }) => {
    const { stack, declare, branchId, endpointIds } = await startStack(door);
    const program = (args: string) =>
      `const a = new Branch('a', { projectId, ${args} }, { retainOnDelete: true });
new ComputeEndpoint('e', { projectId, branchId: a.id, type: 'read_write' });`;
    await declare(program(`name: 'a'`));
    await stack.run(...up);
    const before = endpointIds();
    const id = branchId('a');
    await declare(program(`name: 'a', parentId: feature, allowDataLoss: true`));
    for (const command of [['preview'], up]) {
      const { exitCode, screen } = await stack.try(...command);
      expect(exitCode).not.toBe(0);
      expect(flat(screen)).toContain(`retainOnDelete leaves branch ${id} at the service`);
    }
    expect(endpointIds()).toEqual(before);
    await declare(program(`name: 'b', parentId: feature, allowDataLoss: true`));
    await stack.run(...up);
    expect([branchId('a'), branchId('b')]).toEqual([id, expect.any(String)]);
    await stack.run('preview', '--expect-no-changes');
  });
});
