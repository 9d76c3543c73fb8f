import { expect, it } from 'vitest';
import { flat } from '../support/pulumi-stack';
import { output, startProgram } from '../support/start-stack';

const up = ['up', '--yes', '--skip-preview'];
const allowed = { allowDataLoss: true };
const deletesFirst = { deleteBeforeReplace: true };

/** A program of branches and endpoints, and what it has created. */
async function startBranches() {
  const program = await startProgram('plugin');
  const { stack, emulator, project, branch: feature, writes } = program;
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
    const before = writes().length;
    for (const command of commands) {
      const { exitCode, screen } = await stack.try(...command);
      expect(exitCode).not.toBe(0);
      expect(flat(screen)).toContain(text);
      expect(writes()).toHaveLength(before);
    }
  };
  const expectOthers = (before: readonly string[]) => {
    expect(ids()).toHaveLength(before.length);
    for (const id of ids()) expect(before).not.toContain(id);
  };
  return {
    ...program,
    feature,
    branch,
    endpoint,
    declare,
    branches,
    endpoints,
    ids,
    expectRefused,
    expectOthers,
  };
}

// The same for the dynamic provider: examples.test.ts.
it('a branch is created, reset, replaced and destroyed', async () => {
  const { stack, feature, writes, expectRefused, expectOthers, ...ground } = await startBranches();
  const { branches, endpoints, ids } = ground;
  const name = 'preview/pr-12';
  const declare = (properties: object, app: object = {}) =>
    ground.declare({ preview: ground.branch({ name, ...properties }), app: ground.endpoint(app) });
  await declare({ resetTriggers: { commit: 'a' } });
  await stack.run(...up);
  const [{ id = '' } = {}] = branches();
  const [{ host = '' } = {}] = endpoints();
  expect(branches()).toMatchObject([{ name, current_state: 'ready' }]);
  expect(endpoints()).toMatchObject([{ branch_id: id, current_state: 'active' }]);

  const changed = { resetTriggers: { commit: 'b' }, ...allowed };
  await declare(changed, { allowRestart: false });
  await expectRefused(`the reset of branch ${id} drops the connections of endpoint`, ['preview']);
  await declare(changed);
  const reset = flat((await stack.run('preview')).screen);
  expect(reset).toContain(`deletes the data of branch ${id} ("${name}"), drops`);
  expect(reset).toContain('deletesData~resetTriggers]; warning: deletes');
  await stack.run(...up);
  expect(branches()).toMatchObject([{ id, current_state: 'ready', last_reset_at: expect.any(String) }]);
  expect(endpoints()).toMatchObject([{ host, current_state: 'active' }]);

  const moved = { resetTriggers: { commit: 'b' }, parentId: feature.id };
  await declare(moved);
  const refusal = `allowDataLoss is not true, and this deletes the data of branch ${id}, with its endpoints: a change of parentId. Nothing was changed`;
  await expectRefused(refusal, ['preview'], up);
  const old = ids();
  await declare({ ...moved, ...allowed });
  const preview = flat((await stack.run('preview')).screen);
  expect(preview).toContain('deletesData~parentId]; warning: deletes');
  expect(preview).toContain(`warning: deletes the data of branch ${id}`);
  expect(preview).toContain(
    'replaces the endpoint, changes its host, drops connections (active now): its branch is replaced',
  );
  await stack.run(...up);
  expect(branches()).toMatchObject([{ name, parent_id: feature.id }]);
  expect(endpoints()).toMatchObject([{ branch_id: branches()[0]?.id }]);
  expectOthers(old);
  await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');
  const earlier = writes().length;
  await stack.run('destroy', '--yes', '--skip-preview');
  expect(ids()).toEqual([]);
  const deletes = writes().slice(earlier);
  expect(deletes.map(({ path }) => path.split('/').at(-2))).toEqual(['endpoints', 'branches']);
});

it('a branch keeps its data when a resource option would replace it', async () => {
  const { stack, feature, declare, ids, expectRefused, expectOthers, ...ground } = await startBranches();
  const program = (properties: object, parentId: string | undefined, options: object) => ({
    other: ground.branch({ ...(parentId && { parentId }), ...allowed }),
    preview: ground.branch({ name: 'a', ...properties }, { ...deletesFirst, ...options }),
  });
  const replaceWith = { replaceWith: [output('other')] };
  await declare(program({}, undefined, {}));
  await stack.run(...up);
  const before = ids();
  await declare(program({}, feature.id, replaceWith));
  await expectRefused('deletes the data of the branch, with its endpoints', ['preview']);
  await declare(program(allowed, feature.id, replaceWith));
  await stack.run(...up);
  expectOthers(before);
});

it('a branch that an import replaces, or that becomes a lookup, stays', async () => {
  const { stack, project, feature, declare, write, ids, expectRefused, ...ground } = await startBranches();
  const adopting = ground.branch({ name: 'data', adopt: true });
  await declare({ preview: adopting });
  await stack.run(...up);
  const before = ids();
  const imported = { ...deletesFirst, import: `${project.id}/${feature.id}` };
  const preview = ground.branch({ name: 'feature' }, imported);
  await declare({ preview });
  await expectRefused('has another one in its place', up);
  await declare({ preview, kept: adopting });
  await stack.run(...up);
  const get = { id: `${project.id}/${before[0]}` };
  await write({ resources: { preview, kept: { type: 'Branch', get } } });
  await stack.run(...up);
  expect(ids()).toEqual(before);
});
