import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { flat } from '../support/pulumi-stack';
import { sendRequest } from '../support/send-request';
import { startProgram, startYaml, yamlValue } from '../support/start-stack';

const type = 'postgres-compute:index:ComputeEndpoint';

type Stack = Pick<Awaited<ReturnType<typeof startYaml>>, 'emulator' | 'project' | 'branch' | 'held'>;

/** Creates an endpoint with settings of its own on the branch, as another client does. Returns its id. */
async function createEndpoint({ emulator, project, branch, held }: Stack): Promise<string> {
  const endpoint = {
    branch_id: branch.id,
    type: 'read_write',
    name: 'reports',
    autoscaling_limit_min_cu: 0.5,
    autoscaling_limit_max_cu: 2,
    suspend_timeout_seconds: 600,
    settings: { pg_settings: { work_mem: '8MB' } },
  };
  await sendRequest(emulator, 'POST', `/projects/${project.id}/endpoints`, { endpoint });
  await expect.poll(() => held()[0]?.current_state).toBe('active');
  return held()[0]?.id ?? '';
}

const writesOf = ({ emulator }: Pick<Stack, 'emulator'>) =>
  emulator.requests().filter(({ method }) => method !== 'GET').length;

it('pulumi import PROJECT/ENDPOINT prints code without a change', async () => {
  const service = await startYaml();
  const { stack, emulator, project } = service;
  const id = await createEndpoint(service);
  const [primary] = emulator.endpoints(project.id);
  const before = writesOf(service);

  const imported = await stack.run('import', type, 'app', `${project.id}/${id}`, '--yes', '--skip-preview');
  const [, code = ''] = imported.screen.split(/(?=^resources:$)/m);
  const { resources } = load(code) as { resources: { app: { properties: object; options: object } } };
  expect(resources.app.properties).toEqual({
    ...service.place,
    name: 'reports',
    autoscalingLimitMinCu: 0.5,
    autoscalingLimitMaxCu: 2,
    suspendTimeoutSeconds: 600,
    pgSettings: { work_mem: '8MB' },
  });
  expect((await stack.exportState()).endpoints.map((resource) => resource.id)).toEqual([id]);
  await service.declare(resources.app.properties, { options: resources.app.options });
  await stack.run('preview', '--expect-no-changes');
  await stack.run('up', '--yes', '--skip-preview', '--expect-no-changes');
  await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');
  expect(writesOf(service)).toBe(before);

  const vague = await stack.try('import', type, 'other', primary?.id ?? '', '--yes', '--skip-preview');
  expect(vague.exitCode).not.toBe(0);
  expect(flat(vague.screen)).toContain('does not say which endpoint to read: give PROJECT/ENDPOINT');
  const absent = await stack.try(
    'import',
    type,
    'other',
    `${project.id}/ep-none-1`,
    '--yes',
    '--skip-preview',
  );
  expect(absent.exitCode).not.toBe(0);
  expect(flat(absent.screen)).toContain('does not exist');

  await service.declare({ ...resources.app.properties, autoscalingLimitMaxCu: 4 });
  await stack.run('up', '--yes', '--skip-preview');
  expect(service.held()).toMatchObject([{ id, autoscaling_limit_max_cu: 4 }]);
  expect(writesOf(service)).toBe(before + 1);
});

it('the option import takes an endpoint into YAML without a change', async () => {
  const service = await startYaml();
  const { stack, project, declare } = service;
  const id = await createEndpoint(service);
  const before = writesOf(service);
  const given = {
    name: 'reports',
    autoscalingLimitMinCu: 0.5,
    autoscalingLimitMaxCu: 2,
    suspendTimeoutSeconds: 600,
    pgSettings: { work_mem: '8MB' },
  };
  await declare(given, { options: { import: `${project.id}/${id}` } });
  expect((await stack.previewStep())?.op).toBe('import');
  await stack.run('up', '--yes', '--skip-preview');
  expect((await stack.exportState()).endpoints.map((resource) => resource.id)).toEqual([id]);
  await stack.run('preview', '--expect-no-changes');
  await declare(given);
  await stack.run('preview', '--expect-no-changes');
  expect(writesOf(service)).toBe(before);
});

it('a TypeScript program imports, reads and looks up endpoints', async () => {
  const service = await startProgram('', { importPath: 'pulumi-postgres-compute/plugin' });
  const { stack, emulator, project, held } = service;
  const id = await createEndpoint(service);
  const [primary] = emulator.endpoints(project.id);
  if (!primary) throw new Error('The project has no endpoint.');
  await stack.writeProgram(`import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint, getComputeEndpoint } from 'pulumi-postgres-compute/plugin';
const config = new pulumi.Config();
const [projectId, branchId] = [config.require('projectId'), config.require('branchId')];
new ComputeEndpoint('app', {
  projectId, branchId, type: 'read_write', name: 'reports', autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 2,
  suspendTimeoutSeconds: 600, pgSettings: { work_mem: '8MB' },
}, { import: \`\${projectId}/${id}\` });
export const host = ComputeEndpoint.get('primary', { projectId, endpointId: '${primary.id}' }).host;
export const live = getComputeEndpoint({ projectId, endpointId: '${primary.id}' });
`);
  const before = writesOf(service);
  await stack.run('up', '--yes', '--skip-preview');
  const { stdout } = await stack.run('stack', 'output', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    host: primary.host,
    live: { id: primary.id, currentState: 'active', projectId: project.id },
  });
  expect((await stack.exportState()).endpoints.map((resource) => resource.id).sort()).toEqual(
    [id, primary.id].sort(),
  );
  await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');
  expect(writesOf(service)).toBe(before);
  await stack.run('destroy', '--yes', '--skip-preview');
  expect(held()).toEqual([]);
  expect(emulator.endpoints(project.id).map((endpoint) => endpoint.id)).toEqual([primary.id]);
});

it('a YAML program reads an endpoint and calls the functions', async () => {
  const { stack, emulator, project, write } = await startYaml();
  const [primary] = emulator.endpoints(project.id);
  const at = { projectId: project.id, endpointId: primary?.id };
  await write({
    resources: {
      found: { type, get: { id: `${project.id}/${primary?.id}` } },
    },
    variables: {
      live: { 'fn::invoke': { function: 'postgres-compute:getComputeEndpoint', arguments: at } },
      operations: {
        'fn::invoke': {
          function: 'postgres-compute:getOperations',
          arguments: { projectId: project.id, limit: 1 },
        },
      },
    },
    outputs: {
      host: yamlValue('found.host'),
      state: yamlValue('live.currentState'),
      newest: yamlValue('operations.operations[0].status'),
    },
  });
  await stack.run('up', '--yes', '--skip-preview');
  const { stdout } = await stack.run('stack', 'output', '--json');
  expect(JSON.parse(stdout)).toEqual({ host: primary?.host, state: 'active', newest: 'finished' });
  await stack.run('destroy', '--yes', '--skip-preview');
  expect(emulator.endpoints().map((endpoint) => endpoint.id)).toEqual([primary?.id]);
});

it('pulumi import PROJECT/BRANCH prints code without a change', async () => {
  const { stack, emulator, project, branch, write } = await startYaml();
  const child = emulator.createBranch(project.id, { name: 'preview/pr-12', parentId: branch.id });
  const branchType = 'postgres-compute:index:Branch';
  const args = [branchType, 'preview', `${project.id}/${child.id}`, '--yes', '--skip-preview'];
  const { screen } = await stack.run('import', ...args);
  const [, code = ''] = screen.split(/(?=^resources:$)/m);
  const program = load(code) as { resources: { preview: { properties: object } } };
  expect(program.resources.preview.properties).toEqual({
    projectId: project.id,
    name: 'preview/pr-12',
    parentId: branch.id,
  });
  await write(program);
  await stack.run('preview', '--expect-no-changes');
  await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');

  const found = { type: branchType, get: { id: `${project.id}/${child.id}` } };
  await write({
    ...program,
    resources: { ...program.resources, found },
    outputs: { name: yamlValue('found.name') },
  });
  await stack.run('up', '--yes', '--skip-preview');
  expect((await stack.run('stack', 'output', 'name')).stdout.trim()).toBe('preview/pr-12');
  expect(emulator.requests().filter(({ method }) => method !== 'GET')).toEqual([]);
});
