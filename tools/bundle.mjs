// Bundles the code that Pulumi's processes load, so that they start fast and use little memory: npm run build
// - the provider plugin, which needs nothing but Node.js
// - the runtime of the dynamic provider, without the SDK, of which the host has its own copy
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// axios looks for FormData when it loads. Then Node loads its own fetch, 20 ms and 9 MB, and the provider sends only JSON.
const axiosFiles =
  /[\\/]axios[\\/]lib[\\/](utils|adapters[\\/]fetch|platform[\\/]node[\\/]classes[\\/]FormData)\.js$/;
/** @type {(path: string, text: string) => string} */
const withoutFetchAndForms = (path, text) => {
  if (path.endsWith('utils.js'))
    return `const globalThis = Object.create(global, { FormData: { value: undefined } });${text}`;
  return path.endsWith('fetch.js') ? 'export const getFetch = () => undefined;' : 'export default undefined;';
};

/** @type {(entry: string, outfile: string, options: import('esbuild').BuildOptions) => Promise<import('esbuild').BuildResult>} */
const bundle = (entry, outfile, options) =>
  build({
    absWorkingDir: fileURLToPath(new URL('../provider', import.meta.url)),
    entryPoints: [entry],
    outfile,
    ...options,
    bundle: true,
    platform: 'node',
    target: 'node20',
    // Names of functions and classes stay readable in stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    // The same functions as ES modules, so that what nobody calls is left out: a process loads 15 ms faster.
    alias: { lodash: 'lodash-es' },
    plugins: [
      {
        name: 'axios-for-json',
        setup: ({ onLoad }) =>
          onLoad({ filter: axiosFiles }, async ({ path }) => ({
            contents: withoutFetchAndForms(path, await readFile(path, 'utf8')),
          })),
      },
    ],
  });

export const [plugin] = await Promise.all([
  bundle('src/plugin/main.ts', 'plugin/main.js', { legalComments: 'linked', metafile: true }),
  bundle('src/dynamic/runtime.ts', 'dist/runtime.js', { external: ['@pulumi/pulumi'], legalComments: 'eof' }),
]);
