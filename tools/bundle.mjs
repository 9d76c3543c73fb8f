// Bundles the code that Pulumi's processes load, so that they start fast and use little memory: npm run build
// - the provider plugin, which needs nothing but Node.js
// - the runtime of the dynamic provider, without the SDK, of which the host has its own copy
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * How files of axios are changed before they are bundled, to leave out fetch and forms: the provider sends only JSON. On load,
 * axios looks for global classes such as FormData; as soon as someone does, Node loads its own fetch, which takes 20 ms and
 * 9 MB. The library for forms has a table of all media types.
 */
const axiosChanges = [
  {
    filter: /[\\/]node_modules[\\/]axios[\\/]lib[\\/]adapters[\\/]fetch\.js$/,
    change: () => 'export const getFetch = () => undefined;',
  },
  {
    filter: /[\\/]node_modules[\\/]axios[\\/]lib[\\/]platform[\\/]node[\\/]classes[\\/]FormData\.js$/,
    change: () => 'export default undefined;',
  },
  {
    filter: /[\\/]node_modules[\\/]axios[\\/]lib[\\/]utils\.js$/,
    change: (/** @type {string} */ text) =>
      `const globalThis = Object.create(global, { FormData: { value: undefined } });${text}`,
  },
];

/** @type {import('esbuild').Plugin} */
const axiosForJson = {
  name: 'axios-for-json',
  setup: ({ onLoad }) => {
    for (const { filter, change } of axiosChanges)
      onLoad({ filter }, async ({ path }) => ({ contents: change(await readFile(path, 'utf8')) }));
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
