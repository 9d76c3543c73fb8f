import { describe, expect, it } from 'vitest';
import { codeBlock } from '../support/documents';
import { type DoorName, doorNames } from '../support/program-doors';
import { flat } from '../support/pulumi-stack';
import { output, startProgram } from '../support/start-stack';

const up = ['up', '--yes', '--skip-preview'];
const allowed = { allowDataLoss: true };
const deletesFirst = { deleteBeforeReplace: true };

/** A program of branches and endpoints, and what it has created. */
async function startBranches(door: DoorName) {
  const program = await startProgram(door);
  const { stack, emulator, project, branch: feature, urnOf } = program;
  const existing = new Set(emulator.branches(project.id).map(({ id }) => id));
  const branches = () => emulator.branches(project.id).filter(({ id }) => !existing.has(id));
  const endpoints = () => emulator.endpoints().filter(({ branch_id }) => !existing.has(branch_id));
  const ids = () => [...branches(), ...endpoints()].map(({ id }) => id);
  const branch = (properties: object, options: object = deletesFirst) => ({
    type: 'Branch',
    properties: { projectId: project.id, ...properties },
    options,
  });
  const endpoint = (properties: object = {}) => ({
    type: 'ComputeEndpoint',
    properties: { projectId: project.id, type: 'read_write', branchId: output('preview.id'), ...properties },
    options: deletesFirst,
  });
  const declare = (resources: Record<string, ReturnType<typeof branch>>) => program.write({ resources });
  /** Expects that each command fails with the text, and changes nothing. */
  const expectRefused = async (text: string, ...commands: string[][]) => {
    const before = ids();
    for (const command of commands) {
      const { exitCode, screen } = await stack.try(...command);
      expect(exitCode).not.toBe(0);
      expect(flat(screen)).toContain(text);
      expect(ids()).toEqual(before);
    }
  };
  return { ...program, feature, branch, endpoint, declare, branches, endpoints, ids, expectRefused, urnOf };
}

describe.each(doorNames)('a branch with an endpoint, by the %s provider', (door) => {
  it('is created, replaced if allowDataLoss permits, and destroyed in order', async () => {
    const { stack, feature, branch, endpoint, declare, branches, endpoints, ids, writes, expectRefused } =
      await startBranches(door);
    const name = 'preview/pr-12';
    await declare({ preview: branch({ name }), app: endpoint() });
    await stack.run(...up);
    const [before] = branches();
    expect(before).toMatchObject({ name, current_state: 'ready' });
    expect(endpoints()).toMatchObject([{ branch_id: before?.id, current_state: 'active' }]);
    await stack.run('preview', '--expect-no-changes');

    await declare({ preview: branch({ name, parentId: feature.id }), app: endpoint() });
    const refusal = `allowDataLoss is not true, and this deletes the data of branch ${before?.id}, with its endpoints: a change of parentId. Nothing was changed`;
    const sent = writes().length;
    await expectRefused(refusal, ['preview'], up);
    expect(writes()).toHaveLength(sent);

    const old = ids();
    await declare({ preview: branch({ name, parentId: feature.id, ...allowed }), app: endpoint() });
    const preview = flat((await stack.run('preview')).screen);
    if (door === 'plugin') expect(preview).toContain(',deletesData~parentId]; warning: deletes');
    expect(preview).toContain(`warning: deletes the data of branch ${before?.id}`);
    expect(preview).toContain(
      'replaces the endpoint, changes its host, drops connections (active now): its branch is replaced',
    );
    await stack.run(...up);
    expect(branches()).toMatchObject([{ name, parent_id: feature.id }]);
    expect(endpoints()).toMatchObject([{ branch_id: branches()[0]?.id }]);
    for (const id of ids()) expect(old).not.toContain(id);
    await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');
    const earlier = writes().length;
    await stack.run('destroy', '--yes', '--skip-preview');
    expect(ids()).toEqual([]);
    const deletes = writes().slice(earlier);
    expect(deletes.map(({ path }) => path.split('/').at(-2))).toEqual(['endpoints', 'branches']);
  });

  it('is reset in place, unless the endpoint allows no restart', async () => {
    const { stack, branch, endpoint, declare, branches, endpoints, expectRefused } =
      await startBranches(door);
    const program = (commit: string, app: object = {}) => ({
      preview: branch({ name: 'preview/pr-12', resetTriggers: { commit }, ...allowed }),
      app: endpoint(app),
    });
    await declare(program('a'));
    await stack.run(...up);
    const [host] = endpoints().map((each) => each.host);
    await declare(program('b', { allowRestart: false }));
    await expectRefused(`the reset of branch ${branches()[0]?.id} drops the connections of endpoint`, [
      'preview',
    ]);
    await declare(program('b'));
    const preview = flat((await stack.run('preview')).screen);
    expect(preview).toContain(`resets branch ${branches()[0]?.id} ("preview/pr-12") to the present data of`);
    if (door === 'plugin') expect(preview).toContain('+deletesData~resetTriggers]');
    await stack.run(...up);
    expect(branches()).toMatchObject([{ current_state: 'ready', last_reset_at: expect.any(String) }]);
    expect(endpoints()).toMatchObject([{ host, current_state: 'active' }]);
    await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');
    await stack.run('preview', '--expect-no-changes');
  });

  it('is replaced with its child only if that permits it, by --replace too', async () => {
    const { stack, feature, branch, endpoint, declare, ids, expectRefused, urnOf } =
      await startBranches(door);
    const program = (parent: object, child: object, app: object = {}) => ({
      preview: branch({ name: 'preview', ...parent }),
      child: branch({ name: 'child', parentId: output('preview.id'), ...child }),
      app: endpoint(app),
    });
    await declare(program({}, {}));
    await stack.run(...up);
    const before = ids();
    expect(before).toHaveLength(3);
    const replace = ['--replace', urnOf('preview', 'Branch')];
    const changed = { parentId: feature.id, ...allowed };
    const refusal = 'with its endpoints: a change of parentId';
    await expectRefused(refusal, [...up, ...replace]);
    await declare(program(changed, {}));
    await expectRefused(refusal, ['preview', '--refresh'], [...up, '--refresh']);

    await declare(program({}, allowed));
    await stack.run(...up);
    // A preview knows the program when the engine asks about the child.
    await declare(program(changed, {}));
    await expectRefused('with its endpoints: its parent is replaced', ['preview']);
    await declare(program(changed, allowed, { allowRestart: false }));
    await expectRefused('allowRestart is false', ['preview']);

    await declare(program({}, allowed));
    await stack.run(...up, ...replace);
    expect(ids()).toHaveLength(3);
    for (const id of ids()) expect(before).not.toContain(id);
    await stack.run('preview', '--expect-no-changes');
    await stack.run('destroy', '--yes', '--skip-preview');
    expect(ids()).toEqual([]);
  });

  it('keeps its data when a resource option would replace it', async () => {
    const { stack, feature, branch, declare, ids, expectRefused } = await startBranches(door);
    const program = (properties: object, parentId: string | undefined, options: object) => ({
      other: branch({ ...(parentId && { parentId }), ...allowed }),
      preview: branch({ name: 'a', ...properties }, { ...deletesFirst, ...options }),
    });
    const replaceWith = { replaceWith: [output('other')] };
    await declare(program({}, undefined, {}));
    await stack.run(...up);
    const before = ids();
    const text = 'deletes the data of the branch, with its endpoints';
    await declare(program({}, feature.id, replaceWith));
    await expectRefused(text, ['preview']);
    // It has no effect on a dynamic resource.
    if (door === 'plugin') {
      await declare(program({ name: 'b' }, undefined, { replaceOnChanges: ['name'] }));
      await expectRefused(text, ['preview']);
    }
    await declare(program(allowed, feature.id, replaceWith));
    await stack.run(...up);
    expect(ids()).toHaveLength(2);
    for (const id of ids()) expect(before).not.toContain(id);
  });
});

it('a branch that becomes a lookup, or that an import replaces, stays', async () => {
  const { stack, project, feature, branch, declare, write, branches, ids, expectRefused } =
    await startBranches('plugin');
  await declare({ preview: branch({ name: 'data' }) });
  await stack.run(...up);
  const before = ids();
  const get = { id: `${project.id}/${branches()[0]?.id}` };
  await write({ resources: { preview: { type: 'Branch', get } } });
  await stack.run(...up);
  expect(ids()).toEqual(before);
  await declare({ preview: branch({ name: 'data', adopt: true }) });
  await stack.run(...up);
  const imported = { ...deletesFirst, import: `${project.id}/${feature.id}` };
  await declare({ preview: branch({ name: 'feature' }, imported) });
  await expectRefused('has another one in its place', up, up);
  const adopting = branch({ name: 'data', adopt: true });
  await declare({ preview: branch({ name: 'feature' }, imported), kept: adopting });
  await stack.run(...up);
  await stack.run('preview', '--expect-no-changes');
  expect(ids()).toEqual(before);
});

it('a dynamic branch without a name may be created before the old one', async () => {
  const { stack, feature, branch, endpoint, declare, branches, endpoints } = await startBranches('dynamic');
  const program = (properties: object) => ({
    preview: branch({ ...allowed, ...properties }, { deleteBeforeReplace: false }),
    app: endpoint(),
  });
  await declare(program({}));
  await stack.run(...up);
  const [before] = branches();
  const [{ id = '' } = {}] = endpoints();
  await declare(program({ parentId: feature.id }));
  await stack.run(...up);
  expect(branches()).toMatchObject([{ parent_id: feature.id }]);
  expect(branches()[0]?.id).not.toBe(before?.id);
  expect(endpoints()).toMatchObject([{ id, branch_id: branches()[0]?.id }]);
  await stack.run('preview', '--expect-no-changes');
});

it('a branch survives a kill -9 of the CLI during its create', async () => {
  const { stack, emulator, configure, branches } = await startBranches('dynamic');
  await configure();
  await stack.writeProgram(`import * as pulumi from '@pulumi/pulumi';
const projectId = new pulumi.Config().require('projectId');
${codeBlock('docs/branches.md', 'ts', 'Branches')}`);
  const hanging = emulator.inject({
    match: { action: 'create_branch' },
    effect: { kind: 'operation-hangs' },
  });
  const run = stack.start(...up);
  await expect.poll(() => branches().length).toBe(1);
  run.kill('SIGKILL');
  await run.catch(() => undefined);
  hanging.clear();
  await stack.run('cancel', '--yes');
  await stack.run(...up);
  expect(branches()).toMatchObject([{ name: 'preview/pr-12', current_state: 'ready' }]);
  await stack.run('preview', '--expect-no-changes');
  const { stdout } = await stack.run('stack', 'output', 'databaseUrl', '--show-secrets');
  expect(new URL(stdout.trim()).hostname).toBe(emulator.endpoints().at(-1)?.host);
});
