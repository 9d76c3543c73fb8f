import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './run-command.mjs';

/** No package needs its install script here, and third-party code should not run during the set-up. */
const NPM_CI = ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'];

/**
 * @typedef {{ packages?: Record<string, { version?: string, integrity?: string, optional?: boolean, link?: boolean }> }} Lock
 */

/**
 * Runs npm ci unless node_modules holds what package-lock.json lists. Returns whether it ran.
 * @param {{ repository: string, log: (message: string) => void, signal?: AbortSignal }} options
 */
export async function installPackages({ repository, log, signal }) {
  const lock = readLock(join(repository, 'package-lock.json'));
  if (lock === undefined) throw new Error('package-lock.json is missing or not JSON: restore it from git.');
  const unverified = listUnverified(lock);
  if (unverified.length > 0) {
    throw new Error(
      `package-lock.json has no SHA-512 hash for ${unverified.join(', ')}: delete these entries and run npx npm@11 install --package-lock-only.`,
    );
  }
  // npm writes this record last, so an interrupted npm ci leaves none.
  const installed = readLock(join(repository, 'node_modules/.package-lock.json'));
  if (installed !== undefined && holdsLockedPackages(installed, lock)) return false;
  log(
    `npm ci, because node_modules ${installed ? 'does not match package-lock.json' : 'is missing or incomplete'}`,
  );
  await runCommand(NPM_CI, { name: 'npm ci', cwd: repository, log, signal });
  return true;
}

/**
 * The entries without a SHA-512 hash. Links to workspaces need none.
 * @param {Lock} lock
 */
export function listUnverified({ packages = {} }) {
  return Object.entries(packages)
    .filter(([at, { link }]) => at.includes('node_modules/') && !link)
    .filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
    .map(([at]) => at);
}

/**
 * @param {Lock} installed
 * @param {Lock} lock
 */
function holdsLockedPackages({ packages: installed = {} }, { packages: locked = {} }) {
  const isInstalled = Object.entries(locked)
    .filter(([at]) => at.startsWith('node_modules/'))
    .every(([at, { version, integrity, optional }]) => {
      const found = installed[at];
      return found ? found.version === version && found.integrity === integrity : optional === true;
    });
  return isInstalled && Object.keys(installed).every((at) => at in locked);
}

/**
 * @param {string} file
 * @returns {Lock | undefined} undefined when the file is missing or not JSON
 */
function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
