import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EmulatorOptions } from 'postgres-control-emulator';
import { onTestFinished } from 'vitest';
import { repository } from './documents';
import { makeStack } from './pulumi-stack';

async function startStack(fill: (folder: string) => Promise<unknown>, emulatorOptions: EmulatorOptions = {}) {
  const { stack, emulator, close } = await makeStack(fill, emulatorOptions);
  onTestFinished(close);
  const project = emulator.createProject({ name: 'e2e' });
  const branch = emulator.createBranch(project.id, { name: 'feature' });
  await stack.run('config', 'set', 'projectId', project.id);
  await stack.run('config', 'set', 'branchId', branch.id);
  return { stack, emulator, project, branch };
}

/** Starts a stack of the quickstart, copied from the repository. */
export function startQuickstart() {
  return startStack(async (folder) => {
    await writeFile(join(folder, 'package.json'), '{}');
    await cp(join(repository, 'Pulumi.yaml'), join(folder, 'Pulumi.yaml'));
    await cp(join(repository, 'examples', 'quickstart'), join(folder, 'examples', 'quickstart'), {
      recursive: true,
    });
  });
}

const projectFile = `name: e2e
main: index.ts
runtime:
  name: nodejs
  options:
    tsconfig: tsconfig.json
`;

/** Starts a stack with one ComputeEndpoint named `app`; `args` are its arguments, as program text. */
export async function startProgram(args = '', emulatorOptions: EmulatorOptions = {}) {
  const service = await startStack(async (folder) => {
    await writeFile(join(folder, 'Pulumi.yaml'), projectFile);
    await writeFile(join(folder, 'package.json'), '{}');
    await cp(join(repository, 'examples', 'quickstart', 'tsconfig.json'), join(folder, 'tsconfig.json'));
  }, emulatorOptions);
  const declare = (changed: string) => service.stack.writeProgram(programOf(changed));
  await declare(args);
  return { ...service, declare };
}

function programOf(args: string): string {
  return `import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';
const config = new pulumi.Config();
const projectId = config.require('projectId');
const branchId = config.require('branchId');
const args = Object.assign({ projectId, branchId, type: 'read_write' }, { ${args} });
export const app = new ComputeEndpoint('app', args as any);
`;
}
