import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The language and the module format of a program. */
export type ProgramKind = keyof typeof programs;

interface Program {
  readonly file: string;
  /** What Pulumi runs. @default the file */
  readonly main?: string;
  readonly text: string;
  readonly type: string;
  /** TypeScript's compiler options for the module format. */
  readonly modules?: object;
  readonly endpoints: number;
  /** The files of the package `trial-shared`, beside the program. */
  readonly shared?: Readonly<Record<string, string>>;
}

const declaration = `const config = new pulumi.Config();
const endpoint = new ComputeEndpoint('app', {
  projectId: config.require('projectId'),
  branchId: config.require('branchId'),
  type: 'read_write',
  autoscalingLimitMinCu: 0.25,
  autoscalingLimitMaxCu: 1,
});
`;
const imports = `import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';
`;
const exported = `export const host = endpoint.host;
export const node = process.version;
`;
const required = `const pulumi = require('@pulumi/pulumi');
const { ComputeEndpoint } = require('pulumi-postgres-compute');
`;
const moduleExports = 'module.exports = { host: endpoint.host, node: process.version };\n';

/** An endpoint of each provider in a component of the program, and one in a component of another package. */
const components = `import { ComputeEndpoint as PluginEndpoint } from 'pulumi-postgres-compute/plugin';
import { SharedReplica } from 'trial-shared';
class Replicas extends pulumi.ComponentResource {
  constructor(name: string, at: { projectId: string; branchId: string }) {
    super('trial:index:Replicas', name);
    new ComputeEndpoint(name, { ...at, type: 'read_only' }, { parent: this });
    new PluginEndpoint(name, { ...at, type: 'read_only' }, { parent: this });
    this.registerOutputs();
  }
}
const at = { projectId: config.require('projectId'), branchId: config.require('branchId') };
new Replicas('own', at);
new SharedReplica('shared', at);
`;
const sharedPackage = {
  'index.js': `${required}exports.SharedReplica = class extends pulumi.ComponentResource {
  constructor(name, at) {
    super('trial:index:SharedReplica', name);
    new ComputeEndpoint(name, { ...at, type: 'read_only' }, { parent: this });
    this.registerOutputs();
  }
};
`,
  'index.d.ts': `import * as pulumi from '@pulumi/pulumi';
export declare class SharedReplica extends pulumi.ComponentResource {
  constructor(name: string, at: { projectId: string; branchId: string });
}
`,
};

const common = { type: 'commonjs', text: imports + declaration + exported, endpoints: 1 };
const esModule = { ...common, type: 'module' };
const layouts = {
  ...common,
  endpoints: 4,
  shared: sharedPackage,
  text: imports + declaration + components + exported,
};
const nodeNext = { module: 'nodenext', moduleResolution: 'nodenext' };
/** As written by `pulumi new typescript`; deprecated in TypeScript 6. */
const pulumiTemplate = { module: 'commonjs', moduleResolution: 'node' };

const programs = {
  TypeScript: { ...common, file: 'index.ts', modules: nodeNext },
  'TypeScript, as pulumi new': { ...common, file: 'index.ts', modules: pulumiTemplate },
  'TypeScript, ES module': { ...esModule, file: 'index.ts', modules: nodeNext },
  JavaScript: { ...common, text: required + declaration + moduleExports, file: 'index.js' },
  'JavaScript, ES module': { ...esModule, file: 'index.js' },
  'TypeScript, with components': { ...layouts, file: 'index.ts', modules: nodeNext },
  'TypeScript, bundled': { ...layouts, file: 'index.ts', main: 'dist/index.js' },
};

/** The number of endpoints that the program declares. */
export const countEndpoints = (kind: ProgramKind) => programs[kind].endpoints;

/** Writes a Pulumi project, and the package beside it that it uses. */
export async function writeProgram(
  folder: string,
  kind: ProgramKind,
  dependencies: Readonly<Record<string, string>>,
): Promise<void> {
  const { file, main = file, text, type, modules, shared }: Program = programs[kind];
  const isTypeScript = modules !== undefined;
  const write = (name: string, content: string) => writeFile(join(folder, name), content);
  const own = { ...dependencies, ...(shared && { 'trial-shared': 'file:../shared' }) };
  await write('package.json', JSON.stringify({ name: 'trial', private: true, type, dependencies: own }));
  await write(file, text);
  if (shared) {
    const manifest = { name: 'trial-shared', version: '1.0.0', main: 'index.js', dependencies };
    await mkdir(join(folder, '../shared'));
    for (const [name, content] of Object.entries({ ...shared, 'package.json': JSON.stringify(manifest) }))
      await write(join('../shared', name), content);
  }
  const runtime = { name: 'nodejs', options: { typescript: isTypeScript } };
  const path = 'node_modules/pulumi-postgres-compute/plugin';
  const plugins = { providers: [{ name: 'postgres-compute', path }] };
  await write('Pulumi.yaml', JSON.stringify({ name: 'trial', main, runtime, plugins })); // JSON is YAML.
  if (!isTypeScript) return;
  const compilerOptions = { target: 'es2022', strict: true, types: ['node'], ...modules };
  await write('tsconfig.json', JSON.stringify({ compilerOptions, files: [file] }));
}
