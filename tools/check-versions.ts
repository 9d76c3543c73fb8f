// Installs the packed packages with each supported version of Node, the Pulumi SDK and TypeScript, and runs a real
// `pulumi up`, preview and destroy with each. With --record, a run that passes writes the versions into docs/limits.md. Needs the
// package registry.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import { withoutSecrets } from './child-environment.mjs';
import { type PackedPackage, packPackages } from './packages/pack-packages';
import { recordVersions, type TestedVersions } from './packages/record-versions';
import { runTrials, say } from './packages/run-trials';
import type { ProgramKind } from './packages/trial-program';
import { TrialProject, type TrialReport } from './packages/trial-project';
import { findPulumiCli } from './pulumi-cli/find';

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

void runTrials(checkVersions);

async function checkVersions(folder: string): Promise<void> {
  const packages = await packPackages(folder);
  const words = process.argv.slice(2).filter((word) => word !== '--record');
  const chosen = combinations.filter((combination) => nameOf(combination).includes(words.join(' ')));
  if (chosen.length === 0) throw new Error(`No combination's name contains "${words.join(' ')}".`);
  const rows: (TestedVersions & Record<string, unknown>)[] = [];
  for (const combination of chosen) {
    const name = nameOf(combination);
    const startedAt = Date.now();
    const outcome = await tryCombination(combination, join(folder, name.replaceAll(/\W+/g, '-')), packages)
      .then((versions) => ({ ...versions, outcome: 'ok' }))
      .catch((error: unknown) => {
        process.exitCode = 1;
        say(String(error));
        return { node: undefined, pulumi: undefined, typescript: undefined, outcome: 'FAILED' };
      });
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    say(`${outcome.outcome} ${name} (${seconds} s)`);
    rows.push({ program: combination.program, ...outcome, seconds });
  }
  console.table(rows);
  if (process.argv.includes('--record') && process.exitCode === undefined)
    recordVersions(rows, findPulumiCli()?.version);
}

/** The command line chooses combinations by a part of it. */
function nameOf({ node, pulumi, program }: Combination): string {
  return `Node ${node}, SDK ${pulumi}, ${program}`;
}

async function tryCombination(
  { node, pulumi, program, typescript }: Combination,
  folder: string,
  packages: readonly PackedPackage[],
): Promise<TrialReport> {
  await mkdir(folder);
  try {
    const nodeFolder = await installNode(node, folder);
    const needsLoader = program === 'TypeScript, ES module';
    const compiler = { ...(typescript && { typescript }), ...(needsLoader && { 'ts-node': '10' }) };
    const dependencies = { '@pulumi/pulumi': pulumi, ...compiler };
    const project = new TrialProject({ folder, packages, program, dependencies, nodeFolder });
    await project.install();
    return await project.runLifecycle();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Installs the npm package `node`, which has the binary of that version. Returns the binary's folder. */
async function installNode(version: string, parent: string): Promise<string> {
  const folder = join(parent, `node-${version}`);
  await mkdir(folder, { recursive: true });
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder];
  const env = withoutSecrets(process.env); // It runs the package's own scripts.
  await execa('npm', [...args, `node@${version}`], { cwd: folder, env, extendEnv: false });
  return join(folder, 'node_modules', 'node', 'bin');
}
