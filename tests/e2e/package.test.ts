import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { repository } from '../support/documents';
import { makeStack } from '../support/pulumi-stack';
import { makeTemporaryFolder } from '../support/temporary-folder';

/** An empty stack, and a Pulumi home without plugins. */
async function startEmptyStack() {
  const { stack, close } = await makeStack((folder) =>
    cp(join(repository, 'examples/quickstart-yaml/Pulumi.yaml'), join(folder, 'Pulumi.yaml')),
  );
  onTestFinished(close);
  return stack;
}

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
