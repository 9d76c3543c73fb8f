import { appendFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { pluginDownloadURL } from '../../tools/schema/publication';
import { repository } from '../support/documents';
import { serveFiles } from '../support/file-server';
import { makeRelease } from '../support/packed-plugin';
import { runScript, startExample } from '../support/start-example';
import { type Declared, startProgram, startQuickstart, writeYaml } from '../support/start-stack';

/** A YAML file of the examples. */
const read = async (...path: string[]) => load(await readFile(join(repository, 'examples', ...path), 'utf8'));

it.concurrent('automation-api: restarts only with approval', async (test) => {
  const { emulator, branch, followReadme, tryReadme, heldBy } = await startExample('automation-api', test);
  await followReadme();
  const [{ id } = { id: '' }] = heldBy(branch.id);

  const stopped = await tryReadme();
  expect(stopped.exitCode).toBe(1);
  expect(stopped.screen).toContain('allowRestart is false, and this restarts the compute');
  expect(heldBy(branch.id)).toMatchObject([{ id, autoscaling_limit_max_cu: 1 }]);

  const { screen } = await followReadme();
  expect(screen).toMatch(/warning: urn:\S+::app restarts the compute, drops connections/);
  expect(heldBy(branch.id)).toMatchObject([{ id, autoscaling_limit_max_cu: 2 }]);
  expect(emulator.restarts(id)).toBe(1);
});

interface Workflow {
  readonly env: Record<string, string>;
  readonly jobs: Record<string, { steps: { run?: string; env?: Record<string, string> }[] }>;
}

it('github-actions: previews, deploys, and restarts only with approval', async () => {
  const { stack, emulator, branch } = await startQuickstart();
  await stack.run('stack', 'init', 'production', '--copy-config-from', 'test');
  await cp(join(repository, 'examples', 'pipeline'), join(stack.folder, 'examples', 'pipeline'), {
    recursive: true,
  });
  const summary = join(stack.folder, 'summary.md');
  const workflow = (await read('github-actions', 'deploy.yaml')) as Workflow;
  const run = (job: string, approve_restart = '') => {
    const step = workflow.jobs[job]?.steps.find(({ env }) => env !== undefined);
    const contexts: Record<string, string | undefined> = {
      'secrets.PULUMI_ACCESS_TOKEN': '',
      'secrets.POSTGRES_COMPUTE_API_KEY': stack.environment.POSTGRES_COMPUTE_API_KEY,
      'vars.POSTGRES_COMPUTE_BASE_URL': stack.environment.POSTGRES_COMPUTE_BASE_URL,
      "inputs.approve_restart || 'false'": approve_restart || 'false',
    };
    const env = { ...workflow.env, ...step?.env };
    const given = Object.entries(env).map(([name, value]) => [
      name,
      value.replace(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => contexts[expression] ?? expression),
    ]);
    return runScript(step?.run ?? '', stack.folder, {
      ...stack.environment,
      GITHUB_STEP_SUMMARY: summary,
      ...Object.fromEntries(given),
    });
  };
  const held = () => emulator.endpoints().find(({ branch_id }) => branch_id === branch.id);

  expect(await run('deploy')).toMatchObject({ exitCode: 0 });
  // A killed run left its lock. Logged in, or with the backend in Pulumi.yaml, the environment names none.
  const lock = join(stack.backend, '.pulumi', 'locks', 'organization', 'app', 'production', 'killed.json');
  await mkdir(dirname(lock), { recursive: true });
  await writeFile(lock, '{}');
  const { PULUMI_BACKEND_URL, ...bare } = stack.environment;
  stack.environment = bare;
  await appendFile(join(stack.folder, 'Pulumi.yaml'), `\nbackend: { url: '${PULUMI_BACKEND_URL}' }\n`);
  expect(await run('deploy')).toMatchObject({ exitCode: 0 });
  await stack.run('config', 'set', 'maxCu', '2');
  // Each run has a fresh checkout, without the config that the previous deployment wrote.
  await stack.run('config', 'rm', 'postgresCompute:allowRestart');
  expect(await run('preview')).toMatchObject({ exitCode: 0 });
  expect(await readFile(summary, 'utf8')).toContain('warning: restarts the compute');
  expect((await run('deploy')).exitCode).not.toBe(0);
  expect(held()).toMatchObject({ autoscaling_limit_max_cu: 1 });
  expect(await run('deploy', 'true')).toMatchObject({ exitCode: 0 });
  expect(held()).toMatchObject({ autoscaling_limit_max_cu: 2 });
});

it.concurrent('testing: the tests of the example pass and leave nothing in its folder', async (test) => {
  const { stack, emulator, followReadme } = await startExample('testing', test);
  // No service and no state in the environment: the example's tests start their own.
  const { PULUMI_BACKEND_URL, POSTGRES_COMPUTE_API_KEY, POSTGRES_COMPUTE_BASE_URL, ...bare } =
    stack.environment;
  stack.environment = { ...bare, NO_COLOR: '1' };
  const before = await readdir(stack.folder);
  const { screen } = await followReadme();
  expect(screen).toMatch(/Tests (5 passed|4 passed \| 1 skipped)/);
  expect(await readdir(stack.folder)).toEqual(before);
  expect(emulator.requests()).toEqual([]);
});

it('operator: the program creates the endpoint, and forbids its restart', async () => {
  const { program } = (await read('fleet', 'operator', 'program.yaml')) as { program: Declared };
  const { items } = (await read('fleet', 'operator', 'stacks.yaml')) as {
    items: { spec?: { config?: Record<string, string> } }[];
  };
  const config = items.find(({ spec }) => spec?.config)?.spec?.config ?? {};
  const { stack, project, branch, held } = await startProgram('plugin');
  // The operator writes this file, and sets this config.
  await writeYaml(stack.folder, { ...program, name: 'fleet' });
  const own = { ...config, projectId: project.id, branchId: branch.id, maxCu: '1' };
  await stack.run('stack', 'init', 'canary');
  await stack.setConfig(own);
  await stack.run('up', '--yes', '--skip-preview');
  expect(held()).toMatchObject([{ type: 'read_write', autoscaling_limit_max_cu: 1 }]);

  await stack.setConfig({ maxCu: config.maxCu ?? '' });
  const { exitCode, screen } = await stack.try('up', '--yes', '--skip-preview');
  expect(exitCode).not.toBe(0);
  expect(screen).toContain('allowRestart is false');
});

it('quickstart-yaml: creates the endpoint with the downloaded plugin', async (test) => {
  const { folder } = await makeRelease();
  const { url } = await serveFiles(folder);
  const { stack, branch, followReadme, heldBy } = await startExample('quickstart-yaml', test);
  await followReadme({ [pluginDownloadURL]: url });
  await followReadme();
  const [endpoint, ...others] = heldBy(branch.id);
  expect(endpoint).toMatchObject({ type: 'read_write', autoscaling_limit_min_cu: 0.25 });
  expect(others).toEqual([]);
  expect((await stack.run('stack', 'output', 'host')).stdout).toBe(endpoint?.host);
});
