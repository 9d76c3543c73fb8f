// Bundles what a process of Pulumi's loads, which must start fast and stay small: npm run build
// - the provider plugin, which needs nothing but Node.js
// - the runtime of the dynamic provider, without the SDK, of which the host has its own copy
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

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
