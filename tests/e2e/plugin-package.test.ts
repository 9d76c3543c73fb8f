import { cp, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { repository } from '../support/documents';
import { copyForPacking, packPlugin } from '../support/packed-plugin';
import { makeStack } from '../support/pulumi-stack';
import { makeTemporaryFolder } from '../support/temporary-folder';

interface PackedFile {
  readonly path: string;
  readonly mode: number;
}

/** An empty stack, and a Pulumi home without plugins. */
async function startEmptyStack() {
  const { stack, close } = await makeStack((folder) =>
    cp(join(repository, 'examples/quickstart-yaml/Pulumi.yaml'), join(folder, 'Pulumi.yaml')),
  );
  onTestFinished(close);
  return stack;
}

it('the plugin archive holds what the plugin needs, in less than 1 MB', async () => {
  const { archive } = await packPlugin();
  const { stdout } = await execa('tar', ['-tzf', archive]);
  expect(stdout.split('\n').sort()).toEqual([
    'LICENSE',
    'main.js',
    'main.js.LEGAL.txt',
    'pulumi-resource-postgres-compute',
    'pulumi-resource-postgres-compute.cmd',
    'schema.json',
  ]);
  expect((await readFile(archive)).length).toBeLessThan(1e6);
});

it('the npm package has a built plugin and an executable launcher', async () => {
  const copy = await copyForPacking();
  const { stdout } = await execa('npm', ['pack', '--json', '--dry-run'], { cwd: join(copy, 'provider') });
  const [{ files }] = JSON.parse(stdout) as [{ files: PackedFile[] }]; // The documented shape of npm pack --json.
  const modeOf = (name: string) => files.find(({ path }) => path === `plugin/${name}`)?.mode;
  expect(modeOf('main.js')).toBe(0o644);
  expect(modeOf('pulumi-resource-postgres-compute')).toBe(0o755);
});

it('no package.json asks the CLI to download the plugin', async () => {
  for (const file of ['provider/package.json', 'provider/plugin/package.json'])
    expect(JSON.parse(await readFile(join(repository, file), 'utf8'))).not.toHaveProperty('pulumi');
});

it('pulumi package reads the schema from the launcher', async () => {
  const stack = await startEmptyStack();
  const launcher = join(repository, 'provider/plugin/pulumi-resource-postgres-compute');
  const { stdout } = await stack.run('package', 'get-schema', launcher);
  expect(JSON.parse(stdout).resources).toHaveProperty(['postgres-compute:index:ComputeEndpoint']);
  const { screen } = await stack.run('package', 'add', launcher);
  expect(screen).toContain('Added package Postgres Compute');
});

it("pulumi package reads the schema from the plugin's folder", async ({ skip }) => {
  const stack = await startEmptyStack();
  const root = makeTemporaryFolder();
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'));
  await cp(join(repository, 'provider/plugin'), join(root, 'plugin'), { recursive: true });
  const { stdout, screen } = await stack.try('package', 'get-schema', join(root, 'plugin'));
  // The Node.js language host that can be built from Go modules is older than these folders.
  if (/not supported|node_modules directory is missing/.test(screen))
    skip("This Node.js language host does not run plugins; Pulumi's own distribution does.");
  expect(JSON.parse(stdout).resources).toHaveProperty(['postgres-compute:index:ComputeEndpoint']);
});
