import { join } from 'node:path';
import { ModuleResolutionKind, resolveModuleName, sys } from 'typescript';
import { expect, it } from 'vitest';
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
