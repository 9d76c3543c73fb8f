import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { flat } from '../support/pulumi-stack';
import { runScript, startExample } from '../support/start-example';

it.concurrent('read-replicas: creates and deletes replicas to the configured number', async (test) => {
  const { stack, followReadme, heldBy, branch } = await startExample('read-replicas', test);
  await followReadme();
  const before = heldBy(branch.id);
  expect(before.map(({ type }) => type).sort()).toEqual(['read_only', 'read_only', 'read_write']);
  const { stdout } = await stack.run('stack', 'output', '--json');
  const { writeHost, readHosts } = JSON.parse(stdout) as { writeHost: string; readHosts: string[] };
  const hostsOf = (expected: string) =>
    before.filter(({ type }) => type === expected).map(({ host }) => host);
  expect([writeHost]).toEqual(hostsOf('read_write'));
  expect(readHosts.sort()).toEqual(hostsOf('read_only').sort());

  await followReadme();
  const after = heldBy(branch.id).map(({ id }) => id);
  expect(after).toHaveLength(2);
  expect(before.map(({ id }) => id)).toEqual(expect.arrayContaining(after));
});

it.concurrent('size-per-stack: uses a fixed size in dev and autoscaling in prod', async (test) => {
  const { stack, emulator, project, followReadme, heldBy } = await startExample('size-per-stack', test);
  const [dev, prod] = [emulator.createBranch(project.id), emulator.createBranch(project.id)];
  const branches = { DEV_BRANCH_ID: dev.id, PROD_BRANCH_ID: prod.id };
  await followReadme(branches);
  expect(heldBy(dev.id)).toMatchObject([
    { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 0.25, suspend_timeout_seconds: 300 },
  ]);

  await followReadme(branches);
  expect(heldBy(prod.id)).toMatchObject([
    { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 4, suspend_timeout_seconds: -1 },
  ]);
  expect((await stack.run('stack', 'output', 'maxConnections')).stdout).toBe('450');
  expect((await stack.run('stack', 'output', 'maxConnections', '--stack', 'dev')).stdout).toBe('112');
  await stack.run('config', 'set', 'maxCu', '8');
  expect((await stack.try('preview')).screen).toContain('allowRestart is false');
});

it.concurrent('preview-environments: the workflow migrates, and cleans up', async (test) => {
  const { stack, emulator, project } = await startExample('preview-environments', test);
  const { jobs } = load(await readFile(join(stack.folder, 'preview.yaml'), 'utf8')) as {
    jobs: { environment: { steps: { id?: string; run: string }[] } };
  };
  const script = jobs.environment.steps.find(({ id }) => id === 'environment')?.run ?? '';
  const root = join(stack.folder, '..');
  const scripts = { migrate: 'node -e "fs.writeFileSync(\'migrated\', process.env.DATABASE_URL)"' };
  await writeFile(join(root, 'package.json'), JSON.stringify({ scripts }));
  const GITHUB_OUTPUT = join(root, 'outputs');
  const environment = { ...stack.environment, STACK: 'pr-12', PROJECT_ID: project.id, GITHUB_OUTPUT };
  const before = emulator.branches(project.id).length;

  const opened = await runScript(script, stack.folder, environment);
  expect(opened).toMatchObject({ exitCode: 0 });
  const url = await readFile(join(root, 'migrated'), 'utf8');
  const { hostname } = new URL(url);
  expect(emulator.endpoints(project.id).map(({ host }) => host)).toContain(hostname);
  expect(await readFile(GITHUB_OUTPUT, 'utf8')).toBe(`host=${hostname}\n`);
  expect(opened.screen.replace(`::add-mask::${url}`, '')).not.toContain(url);

  const closed = await runScript(script, stack.folder, { ...environment, IS_CLOSED: 'true' });
  expect(closed).toMatchObject({ exitCode: 0 });
  expect(emulator.branches(project.id)).toHaveLength(before);
});

it.concurrent('preview-environments: opens, resets and removes an environment', async (test) => {
  const { emulator, project, followReadme } = await startExample('preview-environments', test);
  const before = emulator.branches(project.id).length;
  const opened = () => emulator.branches(project.id).find(({ name }) => name === 'preview/pr-12');
  const held = () => emulator.endpoints(project.id).filter(({ branch_id }) => branch_id === opened()?.id);
  const { stdout } = await followReadme();
  const [endpoint] = held();
  expect(endpoint).toMatchObject({ suspend_timeout_seconds: 60 });
  expect(stdout).toContain(`@${endpoint?.host}/app`);

  const { id } = opened() ?? {};
  await followReadme();
  expect(opened()?.id).not.toBe(id);
  expect(held()).toMatchObject([{ branch_id: opened()?.id }]);

  await followReadme();
  expect(emulator.branches(project.id)).toHaveLength(before);
  expect(held()).toEqual([]);
});

it.concurrent('adopt-default-endpoint: adopts, resizes, shows drift, keeps', async (test) => {
  const { stack, emulator, followReadme, tryReadme } = await startExample('adopt-default-endpoint', test);
  const [primary] = emulator.endpoints();
  if (!primary) throw new Error('The project has no endpoint.');
  const held = () => emulator.endpoints().find(({ id }) => id === primary.id);

  await followReadme();
  expect(emulator.endpoints().map(({ id }) => id)).toEqual([primary.id]);
  const { autoscaling_limit_min_cu, autoscaling_limit_max_cu } = primary;
  expect(held()).toMatchObject({
    autoscaling_limit_min_cu,
    autoscaling_limit_max_cu,
    suspend_timeout_seconds: 600,
  });
  expect(emulator.connectionDrops(primary.id)).toBe(0);

  const stopped = await tryReadme();
  expect(stopped.exitCode).not.toBe(0);
  expect(stopped.screen).toContain('allowRestart is false, and this restarts the compute');

  await followReadme();
  expect(held()).toMatchObject({ autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 4 });
  expect(emulator.restarts(primary.id)).toBe(1);

  emulator.changeEndpoint(primary.id, { suspend_timeout_seconds: 3600 });
  const { screen } = await stack.run('preview', '--diff');
  expect(flat(screen)).toContain('~ suspendTimeoutSeconds: 3600 => 600');

  await stack.run('destroy', '--yes', '--skip-preview');
  expect(held()).toMatchObject({ current_state: 'active' });
});

it.concurrent('scheduled-restart: restarts the compute once in each new week', async (test) => {
  const { stack, emulator, branch, followReadme, heldBy } = await startExample('scheduled-restart', test);
  await followReadme();
  const today = '$(date +%G-W%V)';
  await followReadme({ [today]: '2031-W07' });
  const [{ id } = { id: '' }] = heldBy(branch.id);
  expect(emulator.connectionDrops(id)).toBe(0);

  await stack.run('config', 'set', 'week', '2031-W08');
  await stack.run('up', '--yes', '--skip-preview');
  await stack.run('up', '--yes', '--skip-preview', '--expect-no-changes');
  expect(emulator.connectionDrops(id)).toBe(1);
  expect(heldBy(branch.id)).toMatchObject([{ id, current_state: 'active' }]);
});

it.concurrent('component: owns its endpoints, and keeps their names', async (test) => {
  const { stack, branch, followReadme, heldBy } = await startExample('component', test);
  await followReadme();
  const namesById = () => Object.fromEntries(heldBy(branch.id).map(({ id, name }) => [id, name]));
  const before = namesById();
  expect(Object.keys(before)).toHaveLength(2);
  const { endpoints } = await stack.exportState();
  const type = 'example:index:DatabaseCompute$pulumi-nodejs:dynamic/postgres:ComputeEndpoint';
  const project = 'urn:pulumi:dev::orders';
  expect(endpoints.map(({ urn }) => urn).sort()).toEqual([
    `${project}::${type}::db-primary`,
    `${project}::${type}::db-replica-1`,
  ]);

  await followReadme();
  expect(namesById()).toMatchObject(before);
  expect(Object.keys(namesById())).toHaveLength(3);
});
