// Bundles what a process of Pulumi's loads, which must start fast and stay small: npm run build
// - the provider plugin, which needs nothing but Node.js
// - the runtime of the dynamic provider, without the SDK, of which the host has its own copy
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** What replaces a file of axios, or goes before it. */
const axiosParts = {
  'adapters/fetch.js': () => 'export const getFetch = () => undefined;',
  'classes/FormData.js': () => 'export default undefined;',
  'lib/utils.js': (/** @type {string} */ text) =>
    `const globalThis = Object.create(global, { FormData: { value: undefined } });${text}`,
};

/**
 * axios without what it needs for fetch and for forms: nothing here sends either. It looks for their classes when it loads,
 * and as soon as someone does, Node loads its own fetch: 20 ms and 9 MB.
 * @type {import('esbuild').Plugin}
 */
const axiosForJson = {
  name: 'axios-for-json',
  setup: ({ onLoad }) => {
    for (const [file, change] of Object.entries(axiosParts))
      onLoad(
        { filter: new RegExp(`[/\\\\]axios[/\\\\].*${file.replace('/', '[/\\\\]')}$`) },
        async ({ path }) => ({
          contents: change(await readFile(path, 'utf8')),
        }),
      );
  },
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
  plugins: [axiosForJson],
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
