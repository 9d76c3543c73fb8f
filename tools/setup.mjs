#!/usr/bin/env node
// Makes a bare clone ready to run: npm ci, tsc --build and a Pulumi CLI, each only if needed.
// Plain Node without dependencies, because it runs before node_modules exists.
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensurePulumiCli, findPulumiCli } from './pulumi-cli/find.mjs';
import { buildPackages, whyBuildIsStale } from './setup/build-packages.mjs';
import { withFolderLock } from './setup/folder-lock.mjs';
import { installPackages, whyPackagesAreStale } from './setup/install-packages.mjs';

const OLDEST_NODE = [20, 19];
const USAGE = `Usage: node tools/setup.mjs [--no-pulumi]
Runs npm ci, tsc --build and gets a Pulumi CLI, each only if needed.
  --no-pulumi  leave the Pulumi CLI out: enough for everything but the demo and the end-to-end tests`;

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const interruption = new AbortController();

/** @param {string} message */
function log(message) {
  process.stdout.write(`set-up: ${message}\n`);
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      'no-pulumi': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return { withPulumi: !values['no-pulumi'], help: values.help };
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new Error(
    `Node ${process.versions.node} is too old: install Node ${OLDEST_NODE.join('.')} or newer.`,
  );
}

/** @param {boolean} withPulumi */
function isSetUp(withPulumi) {
  if (whyPackagesAreStale(repository) !== undefined || whyBuildIsStale(repository) !== undefined)
    return false;
  return !withPulumi || findPulumiCli() !== undefined;
}

async function preparePackages() {
  const whyInstall = whyPackagesAreStale(repository);
  if (whyInstall === undefined) return;
  log(`npm ci, because ${whyInstall}`);
  await installPackages({ repository, log, signal: interruption.signal });
}

async function prepareBuild() {
  const whyBuild = whyBuildIsStale(repository);
  if (whyBuild === undefined) return;
  log(`tsc --build, because ${whyBuild}`);
  await buildPackages({ repository, log, signal: interruption.signal });
}

/** @param {Promise<void>} packages */
async function preparePulumi(packages) {
  if (findPulumiCli() !== undefined) return;
  const cli = await ensurePulumiCli({ log, signal: interruption.signal, sdkInstalled: packages });
  log(`Pulumi CLI ${cli.version} (${cli.origin}) is ${relative(process.cwd(), cli.command)}`);
}

/** @param {boolean} withPulumi */
async function setUp(withPulumi) {
  const packages = preparePackages();
  // Without its packages nothing works: end a Go build of several minutes at once.
  packages.catch((error) => interruption.abort(error));
  const results = await Promise.allSettled([
    packages.then(prepareBuild),
    withPulumi ? preparePulumi(packages) : Promise.resolve(),
  ]);
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (reasons.length > 0) throw new AggregateError(new Set(reasons), 'set-up did not finish');
}

/** @param {NodeJS.Signals} signalName */
function interrupt(signalName) {
  const next = 'the next set-up goes on from here; press Ctrl-C again to end at once';
  log(`${signalName}: ending what is under way (${next})`);
  process.exitCode = signalName === 'SIGINT' ? 130 : 143;
  interruption.abort(new Error('The set-up was interrupted.'));
}

/** @param {unknown} error */
function report(error) {
  const errors = error instanceof AggregateError ? error.errors : [error];
  for (const each of errors) {
    process.stderr.write(`set-up failed: ${each instanceof Error ? each.message : String(each)}\n`);
  }
  process.exitCode ??= 1;
}

async function main() {
  const { withPulumi, help } = readOptions();
  if (help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  checkNode();
  if (isSetUp(withPulumi)) return;
  const startedAt = Date.now();
  // Not in node_modules, which npm ci deletes.
  await withFolderLock(join(repository, '.pulumi-cli/setup.lock'), { log, signal: interruption.signal }, () =>
    setUp(withPulumi),
  );
  log(`done in ${Math.round((Date.now() - startedAt) / 1_000)} s`);
}

process.once('SIGINT', interrupt);
process.once('SIGTERM', interrupt);
main().catch(report);
