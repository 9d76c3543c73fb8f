// Bundles the provider plugin into one file, which needs nothing but Node.js: npm run build
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

await build({
  absWorkingDir: fileURLToPath(new URL('../provider', import.meta.url)),
  entryPoints: ['src/plugin/main.ts'],
  outfile: 'plugin/main.js',
  bundle: true,
  platform: 'node',
  target: 'node20',
  // Names of functions and classes stay readable in stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'linked',
  logLevel: 'warning',
});
