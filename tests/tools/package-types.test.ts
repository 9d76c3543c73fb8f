import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import {
  createProgram,
  type Diagnostic,
  flattenDiagnosticMessageText,
  getPreEmitDiagnostics,
  ModuleKind,
  ModuleResolutionKind,
  resolveModuleName,
  ScriptTarget,
  sys,
} from 'typescript';
import { expect, it } from 'vitest';
import provider from '../../provider/package.json';
import { codeBlock, repository } from '../support/documents';
import { makeTemporaryFolder, writeFiles } from '../support/temporary-folder';

const { Node10, NodeNext, Bundler } = ModuleResolutionKind;

const textsOf = (problems: readonly Diagnostic[]) =>
  problems.map(({ messageText }) => flattenDiagnosticMessageText(messageText, ' '));

// Pulumi's template for TypeScript sets `moduleResolution: node`, which finds the folder `plugin` of the package instead of
// its export.
it.each([
  ['node', Node10],
  ['nodenext', NodeNext],
  ['bundler', Bundler],
])('pulumi-postgres-compute/plugin has types with moduleResolution %s', (_name, moduleResolution) => {
  const program = join(repository, 'examples', 'index.ts');
  const { resolvedModule } = resolveModuleName(
    'pulumi-postgres-compute/plugin',
    program,
    { moduleResolution },
    sys,
  );
  expect(resolvedModule?.resolvedFileName).toBe(join(repository, 'provider', 'dist', 'plugin-index.d.ts'));
});

it("the published types compile under the options of Pulumi's template", () => {
  const dist = join(repository, 'provider', 'dist');
  const program = createProgram(
    ['index.d.ts', 'plugin-index.d.ts'].map((name) => join(dist, name)),
    {
      target: ScriptTarget.ES2020,
      module: ModuleKind.CommonJS,
      moduleResolution: Node10,
      ignoreDeprecations: '6.0',
      strict: true,
      esModuleInterop: false,
      noEmit: true,
      types: ['node'],
    },
  );
  const files = program.getSourceFiles();
  const own = files.filter(({ fileName }) => fileName.startsWith(dist));
  expect(own.length).toBeGreaterThan(2);
  // What is internal is marked so, and left out: the types of a dependency may need other options.
  const packages = files.flatMap(
    ({ fileName }) => /.*node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(fileName)?.[1] ?? [],
  );
  expect(packages.filter((name) => name in provider.dependencies)).toEqual([]);
  const problems = own.flatMap((file) => program.getSemanticDiagnostics(file));
  expect(textsOf(problems)).toEqual([]);
});

const start = `import * as pulumi from '@pulumi/pulumi';
const projectId = new pulumi.Config().require('projectId');
`;
const pages: readonly (readonly [page: string, heading: string, before?: string])[] = [
  ['docs/add-an-endpoint.md', '3. Declare the endpoint'],
  ['docs/branches.md', 'TypeScript'],
  ['docs/branches.md', 'Branches', start],
  ['docs/plugin.md', 'Several accounts'],
  ['docs/reference.md', 'Lookups', start],
];

// The tests with the real CLI run them, without a check of types, which takes seconds for each command.
it('the programs of the pages compile against the published types', () => {
  const folder = makeTemporaryFolder();
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  const names = pages.map(([page, heading, before = ''], index) => {
    const name = `program${index}.ts`;
    writeFiles(folder, { [name]: before + codeBlock(page, 'ts', heading) });
    return join(folder, name);
  });
  const program = createProgram(names, {
    target: ScriptTarget.ES2022,
    module: ModuleKind.NodeNext,
    strict: true,
    skipLibCheck: true,
    types: ['node'],
    noEmit: true,
  });
  expect(textsOf(getPreEmitDiagnostics(program))).toEqual([]);
});
