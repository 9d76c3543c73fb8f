import { join } from 'node:path';
import {
  createProgram,
  flattenDiagnosticMessageText,
  ModuleKind,
  ModuleResolutionKind,
  resolveModuleName,
  ScriptTarget,
  sys,
} from 'typescript';
import { expect, it } from 'vitest';
import provider from '../../provider/package.json';
import { repository } from '../support/documents';

const { Node10, NodeNext, Bundler } = ModuleResolutionKind;

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
  expect(problems.map(({ messageText }) => flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
});
