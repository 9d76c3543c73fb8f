import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { codeBlock } from '../support/documents';
import { recreateState } from '../support/moved-state';
import { flat, type PulumiStack } from '../support/pulumi-stack';
import { sendRequest } from '../support/send-request';
import { commandFile } from '../support/start-command';
import { output, startPluginStack, startProgram } from '../support/start-stack';

type Program = Awaited<ReturnType<typeof startProgram>>;

const up = ['up', '--yes', '--skip-preview'];
const given = {
  name: 'Jo\'s "reports"',
  autoscalingLimitMinCu: 0.5,
  autoscalingLimitMaxCu: 2,
  suspendTimeoutSeconds: 600,
  pgSettings: { work_mem: '8MB' },
};

/** Creates an endpoint with settings of its own on the branch, as another client does. Returns its id. */
async function createEndpoint({ emulator, project, branch, held }: Program): Promise<string> {
  const endpoint = {
    branch_id: branch.id,
    type: 'read_write',
    name: given.name,
    autoscaling_limit_min_cu: 0.5,
    autoscaling_limit_max_cu: 2,
    suspend_timeout_seconds: 600,
    settings: { pg_settings: { work_mem: '8MB' } },
  };
  await sendRequest(emulator, 'POST', `/projects/${project.id}/endpoints`, { endpoint });
  await expect.poll(() => held()[0]?.current_state).toBe('active');
  return held()[0]?.id ?? '';
}

/** Runs the published command in the folder of the stack. */
const runCommand = ({ folder, environment }: PulumiStack, ...words: string[]) =>
  execa(process.execPath, [commandFile, ...words], { cwd: folder, env: environment, extendEnv: false });

/** The program text that `pulumi import` prints. */
function printedProgram(screen: string) {
  const [, code = ''] = screen.split(/(?=^resources:$)/m);
  return load(code) as { resources: Record<string, { type: string; properties: object; options: object }> };
}

it('import-file turns endpoints into resources without changing them', async () => {
  const program = await startProgram('dynamic');
  const { stack, emulator, project, writes } = program;
  await createEndpoint(program);
  const [primary] = emulator.endpoints(project.id);
  const held = () => emulator.endpoints(project.id).map(({ id, name }) => ({ id, name }));
  const before = [held(), writes().length];
  const { stdout: text, stderr: next } = await runCommand(stack, 'import-file', '--project', project.id);
  const commandOf = (step: number) => new RegExp(`^ {2}${step}\\. pulumi (.*)$`, 'm').exec(next)?.[1] ?? '';

  await stack.run(...commandOf(2).split(' '), '--yes');
  await stack.writeProgram(text);
  expect(commandOf(3)).toBe('preview --expect-no-changes');
  expect((await stack.run(...commandOf(3).split(' '))).screen).not.toMatch(/\[diff|protect/);
  await stack.run('refresh', '--yes', '--expect-no-changes');
  expect([held(), writes().length]).toEqual(before);

  // Now the program manages them like any others.
  await stack.writeProgram(text.replace('autoscalingLimitMaxCu: 0.25', 'autoscalingLimitMaxCu: 1'));
  stack.environment.PULUMI_NODEJS_TRANSPILE_ONLY = 'false';
  await stack.run(...up);
  expect(emulator.endpoints(project.id)).toContainEqual(
    expect.objectContaining({ id: primary?.id, autoscaling_limit_max_cu: 1 }),
  );
});

it('import-state moves resources without a change', async () => {
  const projectFile = 'name: moved\nmain: index.ts\nruntime: nodejs\n';
  const service = await startPluginStack(projectFile + codeBlock('docs/plugin.md', 'yaml', 'Install'));
  const { stack, emulator } = service;
  const { text } = await recreateState(emulator, service.project.id, 'terraform/kislerdm');
  await expect.poll(() => emulator.endpoints().map((one) => one.current_state)).not.toContain('init');
  await writeFile(join(stack.folder, 'state.json'), text);
  const held = () => emulator.endpoints().map(({ id, name }) => ({ id, name }));
  const writes = () => emulator.requests().filter(({ method }) => method !== 'GET').length;
  const before = [held(), writes()];

  const { stdout: program, stderr: next } = await runCommand(stack, 'import-state', 'state.json');
  await stack.writeProgram(program);
  for (const [, words = ''] of next.matchAll(/^ {2}\d\. pulumi (.*)$/gm))
    await stack.run(...words.split(' '), ...(words.startsWith('import') ? ['--yes'] : []));
  await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');
  expect((await stack.exportState()).endpoints).toHaveLength(2);
  expect([held(), writes()]).toEqual(before);
});

it('pulumi import PROJECT/ENDPOINT prints code without a change', async () => {
  const program = await startProgram('plugin');
  const { stack, project, held, writes, place, declare, typeToken } = program;
  const id = await createEndpoint(program);
  const before = writes().length;
  const importAs = (name: string, importId: string) =>
    stack.try('import', typeToken, name, importId, '--yes', '--skip-preview');
  const { app } = printedProgram((await importAs('app', `${project.id}/${id}`)).screen).resources;
  expect(app?.properties).toEqual({ ...place, ...given });
  expect((await stack.exportState()).endpoints.map((resource) => resource.id)).toEqual([id]);
  await declare(app?.properties ?? {}, app?.options);
  await stack.run('preview', '--expect-no-changes');
  await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');
  expect(writes()).toHaveLength(before);

  const sentences = {
    [id]: 'does not say which endpoint to read: give PROJECT/ENDPOINT',
    [`${project.id}/ep-none-1`]: 'does not exist',
  };
  for (const [importId, sentence] of Object.entries(sentences)) {
    const { exitCode, screen } = await importAs('other', importId);
    expect(exitCode).not.toBe(0);
    expect(flat(screen)).toContain(sentence);
  }
  await declare({ ...app?.properties, autoscalingLimitMaxCu: 4 });
  await stack.run(...up);
  expect(held()).toMatchObject([{ id, autoscaling_limit_max_cu: 4 }]);
  expect(writes()).toHaveLength(before + 1);
});

it('pulumi import PROJECT/BRANCH prints code without a change', async () => {
  const { stack, emulator, project, branch, write } = await startProgram('plugin');
  const child = emulator.createBranch(project.id, { name: 'preview/pr-12', parentId: branch.id });
  const branchType = 'postgres-compute:index:Branch';
  const importId = `${project.id}/${child.id}`;
  const { screen } = await stack.run('import', branchType, 'preview', importId, '--yes', '--skip-preview');
  const { resources } = printedProgram(screen);
  const properties = { projectId: project.id, name: 'preview/pr-12', parentId: branch.id };
  expect(resources.preview?.properties).toEqual(properties);
  await write({ resources });
  await stack.run('preview', '--expect-no-changes');
  await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');
  expect(emulator.requests().filter(({ method }) => method !== 'GET')).toEqual([]);
});

it('the option import takes over an endpoint', async () => {
  const program = await startProgram('plugin');
  const { stack, project, held, writes, declare } = program;
  const id = await createEndpoint(program);
  const before = writes().length;
  await declare(given, { import: `${project.id}/${id}` });
  await stack.run(...up);
  expect((await stack.exportState()).endpoints.map((resource) => resource.id)).toEqual([id]);
  await declare(given);
  await stack.run('preview', '--expect-no-changes');
  expect(writes()).toHaveLength(before);
  expect(held()).toHaveLength(1);
});

it.each([
  ['dynamic', 'pulumi-postgres-compute'],
  ['plugin, in TypeScript', 'pulumi-postgres-compute/plugin'],
] as const)('a program reads and looks up what exists: %s', async (kind, importPath) => {
  const { stack, emulator, project } = await startProgram(kind);
  const [primary] = emulator.endpoints(project.id);
  const at = JSON.stringify({ projectId: project.id, endpointId: primary?.id });
  await stack.writeProgram(`
import { ComputeEndpoint, getComputeEndpoint, getComputeEndpoints, getOperation, getOperations } from '${importPath}';
const projectId = '${project.id}';
export const host = ComputeEndpoint.get('primary', ${at}).host;
export const live = getComputeEndpoint(${at});
export const all = getComputeEndpoints({ projectId });
export const newest = getOperations({ projectId, limit: 1 }).then(([first]) =>
  getOperation({ projectId, operationId: first!.id }));
`);
  await stack.run(...up);
  const { stdout } = await stack.run('stack', 'output', '--json');
  const state = { id: primary?.id, currentState: 'active', projectId: project.id };
  expect(JSON.parse(stdout)).toMatchObject({
    host: primary?.host,
    live: state,
    all: [state],
    newest: { projectId: project.id, status: 'finished', failuresCount: 0 },
  });
});

it('a YAML program reads an endpoint and a branch, and calls the functions', async () => {
  const { stack, emulator, project, branch, write, typeToken } = await startProgram('plugin');
  const [primary] = emulator.endpoints(project.id);
  const get = (type: string, id = '') => ({ type, get: { id: `${project.id}/${id}` } });
  const call = { function: 'postgres-compute:getOperations', arguments: { projectId: project.id, limit: 1 } };
  await write({
    resources: {
      endpoint: get(typeToken, primary?.id),
      branch: get('postgres-compute:index:Branch', branch.id),
    },
    variables: { operations: { 'fn::invoke': call } },
    outputs: {
      host: output('endpoint.host'),
      branch: output('branch.name'),
      newest: output('operations.operations[0].status'),
    },
  });
  await stack.run(...up);
  const { stdout } = await stack.run('stack', 'output', '--json');
  expect(JSON.parse(stdout)).toEqual({ host: primary?.host, branch: 'feature', newest: 'finished' });
  await stack.run('destroy', '--yes', '--skip-preview');
  expect(emulator.endpoints()).toMatchObject([{ id: primary?.id }]);
});
