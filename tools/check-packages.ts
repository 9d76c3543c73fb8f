// Packs both packages as npm would publish them, checks the tarballs, installs them with npm and with pnpm, and runs a
// real `pulumi up`, preview and destroy with each. Needs the package registry.
import { lstat, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sumBy } from 'lodash';
import { type PackedPackage, packPackages } from './packages/pack-packages';
import { findPackageProblems } from './packages/package-findings';
import { runTrials, say } from './packages/run-trials';
import { npm, type PackageManager, TrialProject } from './packages/trial-project';

const pulumiVersion = '3.248.0';
const typescriptVersion = '6.0.3';
const nodeTypesVersion = '20.19.43';
const pnpmVersion = '12.21.0';
const bytesPerMb = 1e6;

/** The program declares what it uses: pnpm does not expose the dependencies of dependencies. */
const dependencies = {
  '@pulumi/pulumi': pulumiVersion,
  '@types/node': nodeTypesVersion,
  typescript: typescriptVersion,
};

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
  await tryPackages('npm', npm, folder, packages);
  await tryPackages(`pnpm ${pnpmVersion}`, pnpm(folder), folder, packages);
}

/** Its store is in the trial's folder, which is deleted. pnpm fails on an unlisted build script: protobufjs may skip its own. */
function pnpm(folder: string): PackageManager {
  const store = ['--store-dir', join(folder, 'pnpm-store')];
  return {
    command: 'npx',
    args: ['--yes', `pnpm@${pnpmVersion}`, 'install', '--allow-build=!protobufjs', ...store],
  };
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

async function tryPackages(
  name: string,
  packageManager: PackageManager,
  parent: string,
  packages: readonly PackedPackage[],
): Promise<void> {
  const startedAt = Date.now();
  const folder = join(parent, packageManager.command);
  await mkdir(folder);
  const project = new TrialProject({
    folder,
    packages,
    program: 'TypeScript',
    dependencies,
    packageManager,
  });
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
