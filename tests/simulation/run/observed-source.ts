import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const lifecycle = join(__dirname, '../../../provider/src/lifecycle');

/** The functions that the run imports, and what the simulation puts around each. */
const observed: Readonly<Record<string, string>> = {
  './table': 'export const decide = observeDecide(plain.decide);',
  './evolve': 'export const evolve = observeEvolve(plain.evolve);',
};

/**
 * Puts the observers of coverage.ts around what the provider's runs call. A preview calls the same functions through plan.ts, which
 * is left alone: what it foretells is no coverage.
 */
export const observePlugin: Plugin = {
  name: 'observed table',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\.\/(table|evolve)$/ }, ({ path, importer }) =>
      importer === join(lifecycle, 'run.ts') ? { path, namespace: 'observed' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'observed' }, ({ path }) => ({
      resolveDir: lifecycle,
      loader: 'ts',
      contents: [
        `import * as plain from ${JSON.stringify(join(lifecycle, `${path}.ts`))};`,
        `import { observeDecide, observeEvolve } from ${JSON.stringify(join(__dirname, 'coverage.ts'))};`,
        `export * from ${JSON.stringify(join(lifecycle, `${path}.ts`))};`,
        observed[path],
      ].join('\n'),
    }));
  },
};
