import { describe, type ExpectStatic, it } from 'vitest';
import { type DoorName, doorNames } from '../support/program-doors';
import { flat } from '../support/pulumi-stack';
import { startResources } from '../support/start-stack';

/** A program of branches, and those that it has created. */
async function startBranches(door: DoorName) {
  const program = await startResources(door);
  const { stack, emulator, project, declare } = program;
  const existing = new Set(emulator.branches(project.id).map(({ id }) => id));
  const ids = () => emulator.branches(project.id).flatMap(({ id }) => (existing.has(id) ? [] : [id]));
  /** Applies a program, and expects that an `up` of the next one is refused with the text and changes nothing. */
  const expectRefused = async (expect: ExpectStatic, applied: string, refused: string, text: string) => {
    await declare(applied);
    await stack.run('up', '--yes', '--skip-preview');
    const before = ids();
    await declare(refused);
    const { exitCode, screen } = await stack.try('up', '--yes');
    expect(flat(screen)).toContain(text);
    expect(exitCode).not.toBe(0);
    expect(ids()).toEqual(before);
  };
  return { ...program, ids, expectRefused };
}

describe.each(doorNames)('the gate of a branch, by the %s provider', (door) => {
  it('holds for a child when its parent is replaced after a refresh', async ({ expect }) => {
    const { stack, declare, ids } = await startBranches(door);
    const program = (
      args: string,
    ) => `const branch = new Branch('preview', { projectId, name: 'preview', ${args} });
new Branch('child', { projectId, name: 'child', parentId: branch.id });`;
    await declare(program(''));
    await stack.run('up', '--yes', '--skip-preview');
    const before = ids();
    expect(before).toHaveLength(2);
    await declare(program('parentId: feature, allowDataLoss: true'));
    for (const command of [
      ['preview', '--refresh'],
      ['up', '--yes', '--skip-preview', '--refresh'],
    ]) {
      const { exitCode, screen } = await stack.try(...command);
      expect(flat(screen)).toContain('with its endpoints: a change of parentId');
      expect(exitCode).not.toBe(0);
      expect(ids()).toEqual(before);
    }
  });

  it('holds for a child that loses its allowDataLoss with the parent', async ({ expect }) => {
    const { expectRefused } = await startBranches(door);
    const program = (parent: string, child: string) =>
      `const branch = new Branch('preview', { projectId, name: 'preview', ${parent} });
new Branch('child', { projectId, name: 'child', parentId: branch.id, ${child} });`;
    await expectRefused(
      expect,
      program('', 'allowDataLoss: true'),
      program('parentId: feature, allowDataLoss: true', ''),
      'with its endpoints: its parent is replaced',
    );
  });

  it('holds for an endpoint that loses its permission with its branch', async ({ expect }) => {
    const { expectRefused } = await startBranches(door);
    const program = (branch: string, endpoint: string) =>
      `const branch = new Branch('preview', { projectId, name: 'preview', ${branch} });
new ComputeEndpoint('app', { projectId, branchId: branch.id, type: 'read_write', ${endpoint} });`;
    await expectRefused(
      expect,
      program('', ''),
      program('parentId: feature, allowDataLoss: true', 'allowRestart: false'),
      'allowRestart is false',
    );
  });

  it.runIf(door === 'dynamic')(
    'does not keep a renamed branch from destroy --refresh',
    async ({ expect }) => {
      const { stack, declare, ids } = await startBranches(door);
      await declare(`new Branch('preview', { projectId, name: 'preview' });`);
      await stack.run('up', '--yes', '--skip-preview');
      await declare(
        `new Branch('renamed', { projectId, name: 'preview' }, { aliases: [{ name: 'preview' }] });`,
      );
      await stack.run('up', '--yes', '--skip-preview');
      expect(ids()).toHaveLength(1);
      await stack.run('destroy', '--yes', '--refresh');
      expect(ids()).toEqual([]);
    },
  );

  it('holds when a resource option replaces the branch', async ({ expect }) => {
    const { stack, declare, ids } = await startBranches(door);
    const program = (name: string, parentId: string, option: string, args = '') => `
const other = new Branch('other', { projectId, parentId: ${parentId}, allowDataLoss: true });
new Branch('preview', { projectId, name: '${name}', ${args} }, { ${option} });`;
    await declare(program('a', 'undefined', ''));
    await stack.run('up', '--yes', '--skip-preview');
    const before = ids();
    const refused = [program('a', 'feature', 'replaceWith: [other]')];
    // It has no effect on a dynamic resource.
    if (door === 'plugin') refused.push(program('b', 'undefined', "replaceOnChanges: ['name']"));
    for (const each of refused) {
      await declare(each);
      const { exitCode, screen } = await stack.try('preview');
      expect(flat(screen)).toContain('deletes the data of the branch, with its endpoints');
      expect(exitCode).not.toBe(0);
    }
    await declare(program('a', 'feature', 'replaceWith: [other]', 'allowDataLoss: true'));
    await stack.run('up', '--yes', '--skip-preview');
    expect(ids()).toHaveLength(2);
    for (const id of ids()) expect(before).not.toContain(id);
  });
});
