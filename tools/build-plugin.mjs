// Bundles the provider plugin into one file, which needs nothing but Node.js: npm run build
import { build } from 'esbuild';

const folder = new URL('../provider/', import.meta.url);

await build({
  entryPoints: [new URL('src/plugin/start.ts', folder).pathname],
  outfile: new URL('plugin/main.js', folder).pathname,
  bundle: true,
  platform: 'node',
  target: 'node20',
  // Names of functions and classes stay readable in stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'linked',
  logLevel: 'warning',
});
