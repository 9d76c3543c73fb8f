import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The language and the module format of a program. */
export type ProgramKind = keyof typeof programs;

interface Program {
  readonly file: string;
  readonly text: string;
  readonly type: string;
  /** TypeScript's compiler options for the module format. */
  readonly modules?: object;
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

const common = { type: 'commonjs', text: imports + declaration + exported };
const esModule = { ...common, type: 'module' };
const nodeNext = { module: 'nodenext', moduleResolution: 'nodenext' };
/** As written by `pulumi new typescript`; deprecated in TypeScript 6. */
const pulumiTemplate = { module: 'commonjs', moduleResolution: 'node' };

const programs = {
  TypeScript: { ...common, file: 'index.ts', modules: nodeNext },
  'TypeScript, as pulumi new': { ...common, file: 'index.ts', modules: pulumiTemplate },
  'TypeScript, ES module': { ...esModule, file: 'index.ts', modules: nodeNext },
  JavaScript: { type: 'commonjs', text: required + declaration + moduleExports, file: 'index.js' },
  'JavaScript, ES module': { ...esModule, file: 'index.js' },
};

/** Writes a Pulumi project with one endpoint. */
export async function writeProgram(
  folder: string,
  kind: ProgramKind,
  dependencies: Readonly<Record<string, string>>,
): Promise<void> {
  const { file, text, type, modules }: Program = programs[kind];
  const isTypeScript = modules !== undefined;
  const write = (name: string, content: string) => writeFile(join(folder, name), content);
  await write(file, text);
  await write('package.json', JSON.stringify({ name: 'trial', private: true, type, dependencies }));
  await write(
    'Pulumi.yaml',
    `name: trial\nmain: ${file}\nruntime:\n  name: nodejs\n  options:\n    typescript: ${isTypeScript}\n`,
  );
  if (!isTypeScript) return;
  const compilerOptions = { target: 'es2022', strict: true, types: ['node'], ...modules };
  await write('tsconfig.json', JSON.stringify({ compilerOptions, files: [file] }));
}
