// Installs the packed packages with each supported version of Node, the Pulumi SDK and TypeScript, and runs a real
// `pulumi up`, preview and destroy with each. Needs the package registry.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import { withoutSecrets } from './child-environment.mjs';
import { type PackedPackage, packPackages } from './packages/pack-packages';
import { runTrials, say } from './packages/run-trials';
import type { ProgramKind } from './packages/trial-program';
import { TrialProject, type TrialReport } from './packages/trial-project';

/** Together, they cover both ends of `engines` and `peerDependencies` in provider/package.json. */
interface Combination {
  readonly name: string;
  readonly node: string;
  readonly pulumi: string;
  readonly program: ProgramKind;
  readonly tools?: Readonly<Record<string, string>>;
}

/** The first SDK that passes the stack's config, and so the key, to a dynamic provider. */
const oldestSdk = '3.139.0';
const lastSdkForNode20 = '3.248.0';
const newestSdk = '3';

const combinations: readonly Combination[] = [
  {
    name: 'oldest of all',
    node: '20.19.0',
    pulumi: oldestSdk,
    program: 'TypeScript, as pulumi new',
    tools: { typescript: '5.0' },
  },
  {
    name: 'last SDK for Node 20',
    node: '20',
    pulumi: lastSdkForNode20,
    program: 'TypeScript',
    tools: { typescript: '6' },
  },
  {
    name: 'oldest SDK, JavaScript',
    node: '22.12.0',
    pulumi: oldestSdk,
    program: 'JavaScript',
  },
  {
    name: 'newest SDK, Node 22',
    node: '22',
    pulumi: newestSdk,
    program: 'TypeScript, as pulumi new',
    tools: { typescript: '5' },
  },
  {
    name: 'newest SDK, Node 24',
    node: '24',
    pulumi: newestSdk,
    program: 'TypeScript',
    tools: { typescript: '6' },
  },
  {
    name: 'ES module in TypeScript',
    node: '24.0.0',
    pulumi: lastSdkForNode20,
    program: 'TypeScript, ES module',
    tools: { typescript: '5', 'ts-node': '10' },
  },
  {
    name: 'ES module in JavaScript',
    node: '26',
    pulumi: newestSdk,
    program: 'JavaScript, ES module',
  },
];

interface Row {
  readonly name: string;
  readonly program: ProgramKind;
  readonly seconds: number;
  readonly outcome: TrialReport | Error;
}

void runTrials(checkVersions);

async function checkVersions(folder: string): Promise<void> {
  const packages = await packPackages(folder);
  const rows: Row[] = [];
  for (const combination of chosenCombinations()) {
    const row = await tryCombination(combination, folder, packages);
    rows.push(row);
    const verdict = row.outcome instanceof Error ? `FAILED: ${row.outcome.message}\n` : 'ok     ';
    say(`${verdict} ${row.name} (${row.seconds} s)`);
  }
  printTable(rows);
  if (rows.some(({ outcome }) => outcome instanceof Error)) process.exitCode = 1;
}

/** The combinations whose name contains the words on the command line; without words, all of them. */
function chosenCombinations(): readonly Combination[] {
  const words = process.argv.slice(2).join(' ');
  const chosen = combinations.filter(({ name }) => name.includes(words));
  if (chosen.length === 0) throw new Error(`No combination's name contains "${words}".`);
  return chosen;
}

async function tryCombination(
  { name, node, pulumi, program, tools }: Combination,
  parent: string,
  packages: readonly PackedPackage[],
): Promise<Row> {
  const startedAt = Date.now();
  const folder = join(parent, name.replaceAll(/\W+/g, '-'));
  await mkdir(folder);
  const dependencies = { '@pulumi/pulumi': pulumi, ...tools };
  const outcome = await installNode(node, parent)
    .then(async (nodeFolder) => {
      const project = new TrialProject({ folder, packages, program, dependencies, nodeFolder });
      await project.install();
      return project.runLifecycle();
    })
    .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  await rm(folder, { recursive: true, force: true });
  return { name, program, seconds: Math.round((Date.now() - startedAt) / 1_000), outcome };
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

function printTable(rows: readonly Row[]): void {
  const table = rows.map(({ name, program, seconds, outcome }) => {
    const isFailed = outcome instanceof Error;
    const versions = isFailed ? {} : outcome;
    return { name, ...versions, program, seconds, outcome: isFailed ? 'FAILED' : 'ok' };
  });
  console.table(table);
}
