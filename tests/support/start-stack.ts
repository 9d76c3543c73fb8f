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
  const writes = () => emulator.requests().filter(({ method }) => method !== 'GET');
  /** Sets the ids of the project and of the branch in the stack's config. */
  const configure = () => stack.setConfig({ projectId: project.id, branchId: branch.id });
  return { stack, emulator, project, branch, held, writes, configure };
}

/** Starts a stack of the quickstart, copied from the repository. */
export async function startQuickstart() {
  const service = await startService(async (folder) => {
    await writeFile(join(folder, 'package.json'), '{}');
    await cp(join(repository, 'Pulumi.yaml'), join(folder, 'Pulumi.yaml'));
    await cp(join(repository, 'examples', 'quickstart'), join(folder, 'examples', 'quickstart'), {
      recursive: true,
    });
  });
  await service.configure();
  return service;
}

/**
 * Starts a stack of the given `Pulumi.yaml`, in which PROJECT_ID and BRANCH_ID become the ids of a project and of an empty
 * branch. The config of the stack has both ids too. A TypeScript program can follow.
 */
export async function startPluginStack(projectFile: string) {
  const service = await startService(async (folder) => {
    await writeNodeProject(folder);
    await writeFile(join(folder, 'Pulumi.yaml'), projectFile);
  });
  const { stack, project, branch } = service;
  const fill = (text: string) => text.replaceAll('PROJECT_ID', project.id).replaceAll('BRANCH_ID', branch.id);
  await writeFile(join(stack.folder, 'Pulumi.yaml'), fill(projectFile));
  await service.configure();
  return { ...service, fill };
}

/** A TypeScript program with the class of the dynamic provider or of the plugin, or a YAML program, which is quicker. */
type ProgramKind = DoorName | 'plugin, in TypeScript';

/** A program that both languages can express, in YAML's notation: `${app.host}` is an output, `{ 'fn::secret': … }` a secret. */
export interface Declared {
  readonly resources: Readonly<Record<string, DeclaredResource>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** In YAML only. */
  readonly variables?: object;
  readonly name?: string;
}

interface DeclaredResource {
  readonly type: string;
  readonly properties?: object;
  readonly options?: object;
  /** In YAML only: what exists, by its import id. */
  readonly get?: { readonly id: string };
}

/** The value of an expression such as `app.host`. */
export const output = (expression: string) => `\${${expression}}`;
export const secret = (value: unknown) => ({ 'fn::secret': value });

/**
 * Starts a stack whose program declares one ComputeEndpoint named `app` on the empty branch. `declare` rewrites it, and `write`
 * replaces it by other resources.
 */
export async function startProgram(
  kind: ProgramKind,
  args: object = {},
  { options, ...emulatorOptions }: EmulatorOptions & { readonly options?: object | undefined } = {},
) {
  const isYaml = kind === 'plugin';
  const door = programDoors[kind === 'dynamic' ? 'dynamic' : 'plugin'];
  const service = await startService(
    (folder) => (isYaml ? writeYaml(folder, { resources: {} }) : writeNodeProject(folder)),
    emulatorOptions,
  );
  const { stack, project, branch } = service;
  const place = { projectId: project.id, branchId: branch.id, type: 'read_write' };
  const write = (program: Declared) =>
    isYaml
      ? writeYaml(stack.folder, program)
      : writeFile(join(stack.folder, 'index.ts'), toTypeScript(door.importPath, program));
  const declare = (changed: object, changedOptions?: object) => {
    const properties = { ...place, ...changed };
    const app = { type: 'ComputeEndpoint', properties, ...(changedOptions && { options: changedOptions }) };
    return write({ resources: { app }, outputs: { host: output('app.host') } });
  };
  const urnOf = (name: string, type = 'ComputeEndpoint') =>
    `urn:pulumi:test::e2e::${door.typeToken.replace('ComputeEndpoint', type)}::${name}`;
  await declare(args, options);
  return { ...service, place, declare, write, urnOf, typeToken: door.typeToken };
}

async function writeNodeProject(folder: string): Promise<void> {
  const runtime = { name: 'nodejs', options: { tsconfig: 'tsconfig.json' } };
  const projectFile = { name: 'e2e', main: 'index.ts', runtime, plugins: usePlugin() };
  // JSON is YAML.
  await writeFile(join(folder, 'Pulumi.yaml'), JSON.stringify(projectFile));
  await writeFile(join(folder, 'package.json'), '{}');
  await cp(join(repository, 'examples', 'quickstart', 'tsconfig.json'), join(folder, 'tsconfig.json'));
}

/** Writes a YAML program, whose resources of the provider have the type without its package. */
export function writeYaml(folder: string, { resources, ...rest }: Declared) {
  const named = Object.entries(resources).map(([name, resource]) => {
    const type = resource.type.includes(':') ? resource.type : `postgres-compute:${resource.type}`;
    return [name, { ...resource, type }];
  });
  const program = {
    name: 'e2e',
    runtime: 'yaml',
    plugins: usePlugin(),
    resources: Object.fromEntries(named),
    ...rest,
  };
  return writeFile(join(folder, 'Pulumi.yaml'), JSON.stringify(program));
}

function toTypeScript(importPath: string, { resources, outputs = {} }: Declared): string {
  const statements = Object.entries(resources).map(
    ([name, { type, properties, options = {} }]) =>
      `const ${name} = new provider.${type}('${name}', ${toExpression(properties)} as any, ${toExpression(options)});`,
  );
  const exported = Object.entries(outputs).map(
    ([name, value]) => `export const ${name} = ${toExpression(value)};`,
  );
  return [
    "import * as pulumi from '@pulumi/pulumi';",
    `import * as provider from '${importPath}';`,
    ...statements,
    ...exported,
  ].join('\n');
}

function toExpression(value: unknown): string {
  if (typeof value === 'string') return /^\$\{(.*)\}$/.exec(value)?.[1] ?? JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(toExpression).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value));
  if ('fn::secret' in value) return `pulumi.secret(${toExpression(value['fn::secret'])})`;
  const members = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}: ${toExpression(each)}`,
  );
  return `{ ${members.join(', ')} }`;
}
