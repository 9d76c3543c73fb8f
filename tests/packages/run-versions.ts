// Installs the packed packages with each supported version of Node, the Pulumi SDK and TypeScript, and runs a real
// `pulumi up`, preview and destroy with each. The command line chooses combinations by a part of their name. With --record, a
// run that passes writes the versions into docs/limits.md. Needs the package registry.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import { withoutSecrets } from '../../tools/child-environment.mjs';
import { recordVersions } from './record-versions';
import type { PackedPackage } from './run-trials';
import { runTrials } from './run-trials';
import type { ProgramKind } from './trial-program';
import { describeTrial, TrialProject, type TrialReport } from './trial-project';

/** Together, they cover both ends of `engines` and `peerDependencies` in provider/package.json. */
interface Combination {
  readonly node: string;
  readonly pulumi: string;
  readonly program: ProgramKind;
  readonly typescript?: string;
}

/** The first SDK that passes the stack's config, and so the key, to a dynamic provider. */
const oldestSdk = '3.139.0';
const lastSdkForNode20 = '3.248.0';
const newestSdk = '3';

const combinations: readonly Combination[] = [
  { node: '20.19.0', pulumi: oldestSdk, program: 'TypeScript, as pulumi new', typescript: '5.0' },
  { node: '20', pulumi: lastSdkForNode20, program: 'TypeScript', typescript: '6' },
  { node: '22.12.0', pulumi: oldestSdk, program: 'JavaScript' },
  { node: '22', pulumi: newestSdk, program: 'TypeScript, as pulumi new', typescript: '5' },
  { node: '24', pulumi: newestSdk, program: 'TypeScript', typescript: '6' },
  { node: '24.0.0', pulumi: lastSdkForNode20, program: 'TypeScript, ES module', typescript: '5' },
  { node: 'latest', pulumi: newestSdk, program: 'JavaScript, ES module' },
];

void main();

async function main(): Promise<void> {
  const part = process.argv
    .slice(2)
    .filter((word) => word !== '--record')
    .join(' ');
  const reports: TrialReport[] = [];
  const trials = combinations.map((combination) => ({
    name: `Node ${combination.node}, SDK ${combination.pulumi}, ${combination.program}`,
    run: async (folder: string, packages: readonly PackedPackage[]) => {
      const report = await tryCombination(combination, folder, packages);
      reports.push(report);
      return describeTrial(report);
    },
  }));
  await runTrials(trials.filter(({ name }) => name.includes(part)));
  if (process.argv.includes('--record') && reports.length === combinations.length) recordVersions(reports);
}

async function tryCombination(
  { node, pulumi, program, typescript }: Combination,
  folder: string,
  packages: readonly PackedPackage[],
): Promise<TrialReport> {
  const nodeFolder = await installNode(node, join(folder, 'node'));
  const needsLoader = program === 'TypeScript, ES module';
  const compiler = { ...(typescript && { typescript }), ...(needsLoader && { 'ts-node': '10' }) };
  const dependencies = { '@pulumi/pulumi': pulumi, ...compiler };
  const project = new TrialProject({ folder, packages, program, dependencies, nodeFolder });
  await project.install();
  return project.runLifecycle();
}

/** Installs the npm package `node`, which has the binary of that version. Returns the binary's folder. */
async function installNode(version: string, folder: string): Promise<string> {
  await mkdir(folder);
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder];
  const env = withoutSecrets(process.env); // It runs the package's own scripts.
  await execa('npm', [...args, `node@${version}`], { cwd: folder, env, extendEnv: false });
  return join(folder, 'node_modules', 'node', 'bin');
}
