// Bundles the code that Pulumi's processes load, so that they start fast and use little memory: npm run build
// - the provider plugin, which needs nothing but Node.js
// - what programs import, and the runtime of the dynamic provider, without the SDK, of which the process has its own copy
// The notices of the packages in a bundle are beside it, in a file that ends in .LEGAL.txt.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describeLicenses } from './release/bundled-packages.mjs';

const provider = fileURLToPath(new URL('../provider/', import.meta.url));

// axios looks for FormData when it loads. Then Node loads its own fetch, 20 ms and 9 MB, and the provider sends only JSON.
/** @type {Readonly<Record<string, (text: string) => string>>} */
const axiosFiles = {
  'lib/utils.js': (text) =>
    `const globalThis = Object.create(global, { FormData: { value: undefined } });${text}`,
  'lib/adapters/fetch.js': () => 'export const getFetch = () => undefined;',
  'lib/platform/node/classes/FormData.js': () => 'export default undefined;',
};
const axiosFolder = `${dirname(createRequire(provider).resolve('axios/package.json'))}/`;

/** @type {() => import('esbuild').Plugin} */
const axiosForJson = () => ({
  name: 'axios-for-json',
  setup: ({ onLoad, onEnd }) => {
    const missing = new Set(Object.keys(axiosFiles));
    onLoad({ filter: /[\\/]axios[\\/]lib[\\/]/ }, async ({ path }) => {
      const file = path.slice(axiosFolder.length).replaceAll('\\', '/');
      const replace = axiosFiles[file];
      if (!replace) return undefined;
      missing.delete(file);
      return { contents: replace(await readFile(path, 'utf8')) };
    });
    onEnd(() => ({
      errors: [...missing].map((file) => ({ text: `axios no longer has ${file}: see tools/bundle.mjs` })),
    }));
  },
});

/** @type {(entry: string, outfile: string, options?: import('esbuild').BuildOptions) => Promise<import('esbuild').BuildResult>} */
const bundle = async (entry, outfile, options) => {
  const notices = join(provider, `${outfile}.LEGAL.txt`);
  await rm(notices, { force: true });
  const result = await build({
    absWorkingDir: provider,
    entryPoints: [entry],
    outfile,
    ...options,
    bundle: true,
    metafile: true,
    platform: 'node',
    target: 'node20',
    // Names of functions and classes stay readable in stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'external',
    footer: { js: `// The licenses of the bundled packages: ${basename(notices)}` },
    // The same functions as ES modules, so that unused ones are left out: a process loads 15 ms faster.
    alias: { lodash: 'lodash-es' },
    plugins: [axiosForJson()],
  });
  const comments = await readFile(notices, 'utf8').catch(() => '');
  await writeFile(notices, describeLicenses(Object.keys(result.metafile.inputs), provider) + comments);
  return result;
};

// Programs show the names of classes. To keep names takes memory, which the processes of the provider save. A program may import both
// entries: what they share exists once.
const ofProgram = { external: ['@pulumi/pulumi', './index'], keepNames: true };

export const [plugin] = await Promise.all([
  bundle('src/plugin/main.ts', 'plugin/main.js'),
  bundle('src/dynamic/runtime.ts', 'dist/bundles/runtime.js', { external: ['@pulumi/pulumi'] }),
  bundle('src/index.ts', 'dist/bundles/index.js', ofProgram),
  bundle('src/plugin-index.ts', 'dist/bundles/plugin-index.js', ofProgram),
]);
