// Packs both packages as npm would publish them, installs them in each layout that users have, and runs a real `pulumi up`,
// preview and destroy in each. Needs the package registry.
import { join } from 'node:path';
import type { PackedPackage } from './run-trials';
import { runTrials } from './run-trials';
import { describeTrial, type TrialOptions, TrialProject } from './trial-project';
import { tryMigrations } from './try-migrations';

const esbuild = join(__dirname, '../../node_modules/.bin/esbuild');

/** The program declares what it uses: pnpm does not expose the dependencies of dependencies. */
const dependencies = { '@pulumi/pulumi': '3.248.0', '@types/node': '20.19.43', typescript: '6.0.3' };

type Layout = Pick<TrialOptions, 'program' | 'packageManager' | 'build'>;

/** Each package manager at its defaults, apart from a store in the trial's folder, which is deleted; and a bundle. */
const layouts: Readonly<Record<string, (folder: string) => Layout>> = {
  npm: () => ({ program: 'TypeScript, with components' }),
  // pnpm fails on an unlisted build script: protobufjs may skip its own.
  pnpm: (folder) =>
    byNpx('pnpm@12.21.0', '--allow-build=!protobufjs', '--store-dir', join(folder, 'pnpm-store')),
  // On Node.js 20, yarn refuses a dependency of the emulator about which npm warns.
  yarn: (folder) => byNpx('yarn@1.22.22', '--ignore-engines', '--cache-folder', join(folder, 'yarn-cache')),
  bun: (folder) => byNpx('bun@1.4.5', '--cache-dir', join(folder, 'bun-cache')),
  // The SDK can't be bundled: the CLI looks for it in node_modules.
  esbuild: () => ({
    program: 'TypeScript, bundled',
    build: [esbuild, 'index.ts', '--bundle', '--platform=node', '--external:@pulumi/pulumi', '--outdir=dist'],
  }),
};

function byNpx(manager: string, ...options: string[]): Layout {
  const packageManager = { command: 'npx', args: ['--yes', manager, 'install', ...options] };
  return { program: 'TypeScript, with components', packageManager };
}

const checkedTypes = `import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint, type ComputeEndpointArgs, getComputeEndpoint } from 'pulumi-postgres-compute';
import { Provider } from 'pulumi-postgres-compute/plugin';
import { startEmulator } from 'postgres-control-emulator';
export const args: ComputeEndpointArgs = { projectId: 'p', branchId: 'b', type: 'read_write' };
export const host: pulumi.Output<string> = new ComputeEndpoint('app', args).host;
// @ts-expect-error No endpoint has this type. Without the declarations, this line would be no error.
export const wrong: ComputeEndpointArgs = { projectId: 'p', branchId: 'b', type: 'primary' };
export const provider: pulumi.ProviderResource = new Provider('other');
export const live: Promise<{ id: string }> = getComputeEndpoint({ projectId: 'p', endpointId: 'e' });
export const url: Promise<string> = startEmulator().then((emulator) => emulator.url);
`;

async function tryLayout(layout: Layout, folder: string, packages: readonly PackedPackage[]) {
  const project = new TrialProject({ folder, packages, dependencies, ...layout });
  await project.install();
  await project.checkTypes('common.cts', checkedTypes);
  await project.checkTypes('module.mts', checkedTypes);
  return `types for CommonJS and ES modules; ${describeTrial(await project.runLifecycle())}`;
}

void runTrials([
  ...Object.entries(layouts).map(([name, layoutIn]) => ({
    name,
    run: (folder: string, packages: readonly PackedPackage[]) =>
      tryLayout(layoutIn(folder), folder, packages),
  })),
  { name: 'docs/migrations.md', run: tryMigrations },
]);
