import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { repository } from './documents';
import { makeStack } from './pulumi-stack';

/**
 * Starts a stack of the given `Pulumi.yaml`, in which PROJECT_ID and BRANCH_ID become the ids of a project and of an empty
 * branch. The config of the stack has both ids too. A TypeScript program can follow.
 */
export async function startPluginStack(projectFile: string) {
  const { stack, emulator, close } = await makeStack(async (folder) => {
    await writeFile(join(folder, 'Pulumi.yaml'), projectFile);
    await writeFile(join(folder, 'package.json'), '{}');
    await cp(join(repository, 'examples/quickstart/tsconfig.json'), join(folder, 'tsconfig.json'));
  });
  onTestFinished(close);
  const project = emulator.createProject({ name: 'plugin' });
  const branch = emulator.createBranch(project.id, { name: 'feature' });
  const fill = (text: string) => text.replaceAll('PROJECT_ID', project.id).replaceAll('BRANCH_ID', branch.id);
  await writeFile(join(stack.folder, 'Pulumi.yaml'), fill(projectFile));
  await stack.run('config', 'set', 'projectId', project.id);
  await stack.run('config', 'set', 'branchId', branch.id);
  const held = () => emulator.endpoints().filter(({ branch_id }) => branch_id === branch.id);
  return { stack, emulator, project, branch, fill, held };
}
