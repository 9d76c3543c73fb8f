// Bundles what a process of Pulumi's loads, which must start fast and stay small: npm run build
// - the provider plugin, which needs nothing but Node.js
// - the runtime of the dynamic provider, without the SDK, of which the host has its own copy
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const jsonOnly = fileURLToPath(new URL('json-only.mjs', import.meta.url));

/**
 * Leaves out how axios would send requests with fetch. It looks for the classes of fetch when it loads, and as soon as someone
 * does, Node loads its own: that takes 20 ms and 9 MB.
 * @type {import('esbuild').Plugin}
 */
const axiosWithoutFetch = {
  name: 'axios-without-fetch',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]axios[\\/]lib[\\/](adapters[\\/]fetch|utils)\.js$/ }, async ({ path }) => ({
      contents: path.endsWith('fetch.js')
        ? 'export const getFetch = () => undefined;'
        : `import { globalThis } from ${JSON.stringify(jsonOnly)};${await readFile(path, 'utf8')}`,
    })),
};

/** @type {import('esbuild').BuildOptions} */
const shared = {
  absWorkingDir: fileURLToPath(new URL('../provider', import.meta.url)),
  bundle: true,
  platform: 'node',
  target: 'node20',
  // Names of functions and classes stay readable in stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
  plugins: [axiosWithoutFetch],
  // It brings a table of every media type.
  alias: { 'form-data': jsonOnly },
};

await Promise.all([
  build({
    ...shared,
    entryPoints: ['src/plugin/main.ts'],
    outfile: 'plugin/main.js',
    legalComments: 'linked',
  }),
  build({
    ...shared,
    entryPoints: ['src/dynamic/runtime.ts'],
    outfile: 'dist/runtime.js',
    external: ['@pulumi/pulumi'],
    legalComments: 'eof',
  }),
]);
