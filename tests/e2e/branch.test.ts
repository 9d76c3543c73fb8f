import { describe, it } from 'vitest';
import { codeBlock } from '../support/documents';
import { type DoorName, doorNames, programDoors } from '../support/program-doors';
import { flat } from '../support/pulumi-stack';
import { startProgram } from '../support/start-stack';

/** A preview environment: a branch, its endpoint and a connection string. */
const environment = (
  importPath: string,
  args: string,
  more = '',
  options = '{}',
) => `import * as pulumi from '@pulumi/pulumi';
import { Branch, ComputeEndpoint, getConnectionUri } from '${importPath}';
const projectId = new pulumi.Config().require('projectId');
const feature = new pulumi.Config().require('branchId');
const branch = new Branch('preview', { projectId, ${args} }, ${options});
const endpoint = new ComputeEndpoint('app', { projectId, branchId: branch.id, type: 'read_write' });
${more}
export const branchId = branch.id;
export const uri = getConnectionUri({ projectId, endpointId: endpoint.id, databaseName: 'app', roleName: 'app_owner' });
`;

async function startEnvironment(door: DoorName) {
  const { importPath } = programDoors[door];
  const program = await startProgram('', { importPath: importPath as 'pulumi-postgres-compute' });
  const { stack, emulator, project, branch: feature } = program;
  const declare = (args = '', more = '') =>
    stack.writeProgram(environment(importPath, `name: 'preview/pr-12', ${args}`, more));
  const declareNameless = (args: string, options: string) =>
    stack.writeProgram(environment(importPath, args, '', options));
  await declare();
  const existing = new Set(emulator.branches(project.id).map(({ id }) => id));
  const branches = () => emulator.branches(project.id).filter(({ id }) => !existing.has(id));
  const endpoints = () => emulator.endpoints().filter(({ branch_id }) => !existing.has(branch_id));
  const urn = (type: string, name: string) =>
    `urn:pulumi:test::e2e::${programDoors[door].typeToken.replace('ComputeEndpoint', type)}::${name}`;
  return { ...program, feature, declare, declareNameless, branches, endpoints, urn };
}

describe.each(doorNames)('a branch with an endpoint, by the %s provider', (door) => {
  it('is created, replaced if allowDataLoss permits, and destroyed in order', async ({ expect }) => {
    const { stack, emulator, declare, branches, endpoints, feature } = await startEnvironment(door);
    const { screen: up } = await stack.run('up', '--yes', '--skip-preview');
    const [before] = branches();
    const [endpoint] = endpoints();
    expect(before).toMatchObject({ name: 'preview/pr-12', current_state: 'ready' });
    expect(endpoint).toMatchObject({ branch_id: before?.id, current_state: 'active' });
    expect(flat(up)).toMatch(/uri *: \[secret\]/);
    await stack.run('preview', '--expect-no-changes');
    const count = emulator.requests().filter(({ method }) => method !== 'GET').length;

    await declare('parentId: feature');
    for (const command of [['preview'], ['up', '--yes', '--skip-preview']]) {
      const { exitCode, screen } = await stack.try(...command);
      expect(exitCode).not.toBe(0);
      expect(flat(screen)).toContain(
        `allowDataLoss is not true, and this deletes the data of branch ${before?.id}, with its endpoints: a change of parentId. Nothing was changed`,
      );
    }
    expect(emulator.requests().filter(({ method }) => method !== 'GET')).toHaveLength(count);

    await declare('parentId: feature, allowDataLoss: true');
    const preview = await stack.run('preview');
    if (door === 'plugin') expect(flat(preview.screen)).toContain(',deletesData~parentId]; warning: deletes');
    expect(flat(preview.screen)).toContain(`warning: deletes the data of branch ${before?.id}`);
    expect(flat(preview.screen)).toContain(
      'replaces the endpoint, changes its host, drops its connections (active now): its branch is replaced',
    );
    await stack.run('up', '--yes', '--skip-preview');
    const [after] = branches();
    expect(branches()).toHaveLength(1);
    expect(after).toMatchObject({ name: 'preview/pr-12', parent_id: feature.id });
    expect(after?.id).not.toBe(before?.id);
    expect(endpoints()).toMatchObject([{ branch_id: after?.id }]);
    expect(endpoints()[0]?.id).not.toBe(endpoint?.id);
    await stack.run('refresh', '--yes', '--expect-no-changes');
    const isDelete = ({ method }: { method: string }) => method === 'DELETE';
    const deleted = emulator.requests().filter(isDelete).length;
    await stack.run('destroy', '--yes');
    expect([branches(), endpoints()]).toEqual([[], []]);
    const deletes = emulator.requests().filter(isDelete).slice(deleted);
    expect(deletes.map(({ path }) => path.split('/').at(-2))).toEqual(['endpoints', 'branches']);
  });

  it('is replaced with its endpoint and its child by --replace', async ({ expect }) => {
    const { stack, declare, branches, endpoints, urn } = await startEnvironment(door);
    const child = (args: string) =>
      `new Branch('child', { projectId, name: 'child', parentId: branch.id, ${args} });`;
    await declare('', child(''));
    await stack.run('up', '--yes', '--skip-preview');
    const ids = () => [...branches(), ...endpoints()].map(({ id }) => id);
    const before = ids();
    expect(before).toHaveLength(3);

    const replace = ['up', '--yes', '--skip-preview', '--replace', urn('Branch', 'preview')];
    const refused = await stack.try(...replace);
    expect(refused.exitCode).not.toBe(0);
    expect(flat(refused.screen)).toContain('with its endpoints: a change of parentId');
    expect(ids()).toEqual(before);

    await declare('', child('allowDataLoss: true'));
    await stack.run('up', '--yes', '--skip-preview');
    await stack.run(...replace);
    expect(ids()).toHaveLength(3);
    for (const id of ids()) expect(before).not.toContain(id);
    await stack.run('preview', '--expect-no-changes');
    await stack.run('refresh', '--yes', '--expect-no-changes');
    await stack.run('destroy', '--yes');
    expect(ids()).toEqual([]);
  });

  it.runIf(door === 'dynamic')('is created before the old one is deleted on request', async ({ expect }) => {
    const { stack, declareNameless, branches, endpoints, feature } = await startEnvironment(door);
    const option = '{ deleteBeforeReplace: false }';
    await declareNameless('allowDataLoss: true', option);
    await stack.run('up', '--yes', '--skip-preview');
    const [before] = branches();
    const [endpoint] = endpoints();
    await declareNameless('allowDataLoss: true, parentId: feature', option);
    await stack.run('up', '--yes', '--skip-preview');
    const [after] = branches();
    expect(branches()).toMatchObject([{ parent_id: feature.id }]);
    expect(after?.id).not.toBe(before?.id);
    expect(endpoints()).toMatchObject([{ id: endpoint?.id, branch_id: after?.id }]);
    await stack.run('preview', '--expect-no-changes');
  });

  it.runIf(door === 'dynamic')(
    'of the guide survives a kill -9 of the CLI during the create',
    async ({ expect }) => {
      const { stack, emulator, branches } = await startEnvironment(door);
      const guide = codeBlock('docs/branches.md', 'ts', 'Branches');
      await stack.writeProgram(`import * as pulumi from '@pulumi/pulumi';
const projectId = new pulumi.Config().require('projectId');
${guide}`);
      const hanging = emulator.inject({
        match: { action: 'create_branch' },
        effect: { kind: 'operation-hangs' },
      });
      const run = stack.start('up', '--yes', '--skip-preview');
      await expect.poll(() => branches().length, { timeout: 60_000 }).toBe(1);
      run.kill('SIGKILL');
      await run.catch(() => undefined);
      hanging.clear();
      await stack.run('cancel', '--yes');
      await stack.run('up', '--yes', '--skip-preview');
      expect(branches()).toMatchObject([{ name: 'preview/pr-12', current_state: 'ready' }]);
      await stack.run('preview', '--expect-no-changes');
      const { stdout } = await stack.run('stack', 'output', 'databaseUrl', '--show-secrets');
      expect(new URL(stdout.trim()).hostname).toBe(emulator.endpoints().at(-1)?.host);
    },
  );
});
