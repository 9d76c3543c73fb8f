// Packs both packages as npm would publish them, checks the tarballs, installs them in each layout that users have, and runs a real
// `pulumi up`, preview and destroy in each. Needs the package registry.
import { lstat, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sumBy } from 'lodash';
import { type PackedPackage, packPackages } from './packages/pack-packages';
import { findPackageProblems } from './packages/package-findings';
import { runTrials, say } from './packages/run-trials';
import { npm, type TrialOptions, TrialProject } from './packages/trial-project';
import { tryMigrations } from './packages/try-migrations';

const pulumiVersion = '3.248.0';
const typescriptVersion = '6.0.3';
const nodeTypesVersion = '20.19.43';
const esbuild = join(__dirname, '../node_modules/.bin/esbuild');
const bytesPerMb = 1e6;

/** The program declares what it uses: pnpm does not expose the dependencies of dependencies. */
const dependencies = {
  '@pulumi/pulumi': pulumiVersion,
  '@types/node': nodeTypesVersion,
  typescript: typescriptVersion,
};

type Layout = Pick<TrialOptions, 'program' | 'packageManager' | 'build'>;

/** Each package manager at its defaults, apart from a store in the trial's folder, which is deleted; and a bundle. */
const layoutsIn = (folder: string): Readonly<Record<string, Layout>> => ({
  npm: { program: 'TypeScript, with components' },
  // pnpm fails on an unlisted build script: protobufjs may skip its own.
  pnpm: byNpx('pnpm@12.21.0', '--allow-build=!protobufjs', '--store-dir', join(folder, 'pnpm-store')),
  // On Node.js 20, yarn refuses a dependency of the emulator about which npm warns.
  yarn: byNpx('yarn@1.22.22', '--ignore-engines', '--cache-folder', join(folder, 'yarn-cache')),
  bun: byNpx('bun@1.4.5', '--cache-dir', join(folder, 'bun-cache')),
  // The SDK can't be bundled: the CLI looks for it in node_modules.
  esbuild: {
    program: 'TypeScript, bundled',
    build: [esbuild, 'index.ts', '--bundle', '--platform=node', '--external:@pulumi/pulumi', '--outdir=dist'],
  },
});

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

void runTrials(checkPackages);

async function checkPackages(folder: string): Promise<void> {
  const packages = await packPackages(folder);
  const problems = (await Promise.all(packages.map(findPackageProblems))).flat();
  for (const packed of packages) await describePackage(packed, folder);
  for (const problem of problems) say(`PROBLEM: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  else say('Files, publint and attw: no problems.');
  for (const [name, layout] of Object.entries(layoutsIn(folder)))
    await tryLayout(name, layout, folder, packages);
  const migrations = join(folder, 'migrations');
  await mkdir(migrations);
  await tryMigrations(migrations, packages);
}

async function describePackage(packed: PackedPackage, folder: string): Promise<void> {
  const { name, version, files, size, unpackedSize } = packed;
  const alone = join(folder, `alone-${name}`);
  await mkdir(alone);
  const project = new TrialProject({
    folder: alone,
    packages: [packed],
    program: 'JavaScript',
    dependencies: {},
    // Every Pulumi program has the SDK already, so the size leaves it out.
    packageManager: { ...npm, args: [...npm.args, '--legacy-peer-deps'] },
  });
  await project.install();
  const { packages, bytes } = await measureInstall(project.folder);
  say(
    `${name} ${version}: ${files.length} files, ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} unpacked; ` +
      `installs ${packages} packages (itself included), ${(bytes / bytesPerMb).toFixed(1)} MB in all.`,
  );
}

/** The packages that npm installed in a project, by its own record, and their size: of the files, not of the blocks on disk. */
async function measureInstall(folder: string) {
  const modules = join(folder, 'node_modules');
  const { packages } = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8'));
  const entries = await readdir(modules, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  const sizes = await Promise.all(files.map(({ parentPath, name }) => lstat(join(parentPath, name))));
  return { packages: Object.keys(packages).length, bytes: sumBy(sizes, 'size') };
}

async function tryLayout(
  name: string,
  layout: Layout,
  parent: string,
  packages: readonly PackedPackage[],
): Promise<void> {
  const startedAt = Date.now();
  const folder = join(parent, name);
  await mkdir(folder);
  const project = new TrialProject({ folder, packages, dependencies, ...layout });
  await project.install();
  await project.checkTypes('common.cts', checkedTypes);
  await project.checkTypes('module.mts', checkedTypes);
  const { node, pulumi, typescript } = await project.runLifecycle();
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  say(
    `${name}: installed; types for CommonJS and ES modules; up, preview, destroy with Node ${node}, ` +
      `@pulumi/pulumi ${pulumi}, TypeScript ${typescript} (${seconds} s).`,
  );
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1_000)} kB`;
}
