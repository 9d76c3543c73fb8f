#!/usr/bin/env node
// Makes a bare clone ready to run: npm ci, tsc --build and a Pulumi CLI.
// Until npm ci has run, there is nothing but Node: what is imported here has no dependencies.
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installPackages } from './setup/install-packages.mjs';
import { withLock } from './setup/lock.mjs';
import { runCommand } from './setup/run-command.mjs';

const OLDEST_NODE = '20.19.0';
const USAGE = `Usage: node tools/setup.mjs [--no-pulumi]
Runs npm ci if needed, tsc --build, and gets a Pulumi CLI if there is none.
  --no-pulumi  without the Pulumi CLI, which only the demo and the end-to-end tests need`;

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const interruption = new AbortController();

/** @param {string} message */
function log(message) {
  process.stdout.write(`set-up: ${message}\n`);
}

async function main() {
  const { values } = parseArgs({ options: { 'no-pulumi': { type: 'boolean' }, help: { type: 'boolean' } } });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  if (process.versions.node.localeCompare(OLDEST_NODE, 'en', { numeric: true }) < 0)
    throw new Error(`Node ${process.versions.node} is too old: install Node ${OLDEST_NODE} or newer.`);
  const options = { repository, log, signal: interruption.signal };
  // Not in node_modules, which npm ci deletes.
  await withLock(join(repository, '.pulumi-cli/setup.lock'), options, async () => {
    const isNew = await installPackages(options);
    await build(isNew);
    if (!values['no-pulumi']) await preparePulumi();
  });
}

/**
 * tsc compares modification times, and npm gives every file the same old one: new packages need --force.
 * @param {boolean} isForced
 */
async function build(isForced) {
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  log('tsc --build');
  // At the same time: neither package refers to the other.
  const builds = ['provider', 'emulator'].map((folder) => {
    const command = [process.execPath, tsc, '--build', folder, ...(isForced ? ['--force'] : [])];
    return runCommand(command, {
      name: `tsc --build ${folder}`,
      cwd: repository,
      log,
      signal: interruption.signal,
    });
  });
  await Promise.all(builds);
}

/** What only runs of the Pulumi CLI need: the provider's bundles, and the CLI itself. */
async function preparePulumi() {
  log('bundling the provider');
  await import('./bundle.mjs');
  // As CommonJS, which these files are: as an ES module, the first one would have no folder of its own (`__dirname`).
  const { require } = await import('tsx/cjs/api');
  /** @type {typeof import('./pulumi-cli/install.js')} */
  const { ensurePulumiCli } = require('./pulumi-cli/install.ts', import.meta.url);
  const cli = await ensurePulumiCli({ log, signal: interruption.signal });
  log(`Pulumi CLI ${cli.version}: ${cli.command}`);
}

/** @param {NodeJS.Signals} signalName */
function interrupt(signalName) {
  log(`${signalName}: stopping; the next set-up continues from here`);
  process.exitCode = 128 + constants.signals[signalName];
  interruption.abort(new Error('The set-up was interrupted.'));
}

/** @param {unknown} error */
function report(error) {
  if (interruption.signal.aborted) return;
  process.stderr.write(`set-up failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode ??= 1;
}

for (const signalName of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signalName, interrupt);
main().catch(report);
