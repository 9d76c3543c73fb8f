// Bundles the provider plugin into one file, which needs nothing but Node.js: npm run build
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('../provider', import.meta.url));

await build({
  entryPoints: [join(folder, 'src/plugin/main.ts')],
  outfile: join(folder, 'plugin/main.js'),
  bundle: true,
  platform: 'node',
  target: 'node20',
  // Names of functions and classes stay readable in stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'linked',
  logLevel: 'warning',
});
