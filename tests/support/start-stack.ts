import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EmulatorOptions } from 'postgres-control-emulator';
import { onTestFinished } from 'vitest';
import { repository } from './documents';
import { type DoorName, programDoors, usePlugin } from './program-doors';
import { makeStack } from './pulumi-stack';

type Fill = (folder: string) => Promise<unknown>;

async function startService(fill: Fill, emulatorOptions: EmulatorOptions = {}) {
  const { stack, emulator, close } = await makeStack(fill, emulatorOptions);
  onTestFinished(close);
  const project = emulator.createProject({ name: 'e2e' });
  const branch = emulator.createBranch(project.id, { name: 'feature' });
  /** The endpoints of the branch. */
  const held = () => emulator.endpoints().filter(({ branch_id }) => branch_id === branch.id);
  return { stack, emulator, project, branch, held };
}

async function startStack(fill: Fill, emulatorOptions?: EmulatorOptions) {
  const service = await startService(fill, emulatorOptions);
  await service.stack.run('config', 'set', 'projectId', service.project.id);
  await service.stack.run('config', 'set', 'branchId', service.branch.id);
  return service;
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

// JSON is YAML.
const projectFile = JSON.stringify({
  name: 'e2e',
  main: 'index.ts',
  runtime: { name: 'nodejs', options: { tsconfig: 'tsconfig.json' } },
  plugins: usePlugin(),
});

/** What a program imports: the class of the dynamic provider, or that of the provider plugin. */
export type ImportPath = 'pulumi-postgres-compute' | 'pulumi-postgres-compute/plugin';

/** What a TypeScript program contains besides its arguments. */
export interface ProgramText {
  readonly importPath?: ImportPath;
  /** The resource options, as program text. */
  readonly options?: string;
}

/**
 * Starts a stack with one ComputeEndpoint named `app`; `args` are its arguments, as program text. `declare` rewrites the
 * program.
 */
export async function startProgram(
  args = '',
  { importPath = 'pulumi-postgres-compute', ...emulatorOptions }: EmulatorOptions & ProgramText = {},
) {
  const service = await startStack(async (folder) => {
    await writeFile(join(folder, 'Pulumi.yaml'), projectFile);
    await writeFile(join(folder, 'package.json'), '{}');
    await cp(join(repository, 'examples', 'quickstart', 'tsconfig.json'), join(folder, 'tsconfig.json'));
  }, emulatorOptions);
  const declare = (changed: string, text: ProgramText = {}) =>
    service.stack.writeProgram(programOf(changed, { importPath, ...text }));
  await declare(args);
  return { ...service, declare };
}

/** The same for a program of any resources, by either door: `declare` gives their text, which has `projectId` and `feature`. */
export async function startResources(door: DoorName, emulatorOptions: EmulatorOptions = {}) {
  const { importPath } = programDoors[door];
  const program = await startProgram('', { ...emulatorOptions, importPath: importPath as ImportPath });
  const declare = (resources: string) =>
    program.stack.writeProgram(`import * as pulumi from '@pulumi/pulumi';
import { Branch, ComputeEndpoint } from '${importPath}';
const projectId = new pulumi.Config().require('projectId');
const feature = new pulumi.Config().require('branchId');
${resources}
`);
  return { ...program, declare };
}

function programOf(args: string, { importPath, options = '{}' }: ProgramText): string {
  return `import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from '${importPath}';
const config = new pulumi.Config();
const projectId = config.require('projectId');
const branchId = config.require('branchId');
const args = Object.assign({ projectId, branchId, type: 'read_write' }, { ${args} });
export const app = new ComputeEndpoint('app', args as any, ${options});
`;
}

/** In a YAML program, the value of an expression such as `app.host`. */
export const yamlValue = (expression: string) => `\${${expression}}`;

/** What a YAML program contains besides its endpoint `app`. */
export interface YamlParts {
  /** The resource options of `app`. */
  readonly options?: object;
  readonly resources?: object;
  readonly outputs?: object;
}

/**
 * Starts a stack of a YAML program with one endpoint of the provider plugin, named `app`, on the empty branch. `declare`
 * rewrites the program; `write` replaces all of it.
 */
export async function startYaml(properties: object = {}, emulatorOptions: EmulatorOptions = {}) {
  const service = await startService((folder) => writeYaml(folder, {}), emulatorOptions);
  const { stack, project, branch } = service;
  const place = { projectId: project.id, branchId: branch.id, type: 'read_write' };
  const write = (program: object) => writeYaml(stack.folder, program);
  const declare = (changed: object, { options, resources, outputs }: YamlParts = {}) => {
    const app = {
      type: 'postgres-compute:ComputeEndpoint',
      properties: { ...place, ...changed },
      ...(options && { options }),
    };
    return write({ resources: { app, ...resources }, ...(outputs && { outputs }) });
  };
  await declare(properties);
  return { ...service, place, declare, write };
}

function writeYaml(folder: string, program: object): Promise<void> {
  const text = JSON.stringify({ name: 'e2e', runtime: 'yaml', plugins: usePlugin(), ...program });
  return writeFile(join(folder, 'Pulumi.yaml'), text);
}
