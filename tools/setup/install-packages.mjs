// npm ci, when node_modules does not hold what package-lock.json says.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand, withProgress } from './run-command.mjs';
import { hashContents, readStamp, writeStamp } from './stamps.mjs';

const STAMP = 'node_modules/.setup-stamp.json';
/** npm's own record of what it has installed; it writes this file last. */
const NPM_RECORD = 'node_modules/.package-lock.json';
/** No package needs its install script here, and none is to run other people's code during the set-up. */
const ARGUMENTS = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];

/** @type {typeof import('./install-packages.d.mts').whyPackagesAreStale} */
export function whyPackagesAreStale(repository) {
  const record = readStamp(join(repository, NPM_RECORD));
  if (record === undefined) return 'node_modules is missing or incomplete';
  const wanted = wantedStamp(repository);
  const stamp = readStamp(join(repository, STAMP));
  if (stamp?.lock === wanted.lock && stamp.platform === wanted.platform) return undefined;
  if (stamp !== undefined && stamp.platform !== wanted.platform) {
    return `node_modules was installed for ${stamp.platform}, this is ${wanted.platform}`;
  }
  if (!holdsLockedPackages(repository, record)) return 'node_modules does not match package-lock.json';
  // Somebody ran npm ci or npm install by hand: as good as ours.
  writeStamp(join(repository, STAMP), wanted);
  return undefined;
}

/** @type {typeof import('./install-packages.d.mts').installPackages} */
export async function installPackages({ repository, log, signal }) {
  const lock = readStamp(join(repository, 'package-lock.json'));
  if (lock === undefined) {
    throw new Error(
      `npm ci needs package-lock.json, and ${repository} has no readable one: restore it from git.`,
    );
  }
  const unverified = listUnverified(lock);
  if (unverified.length > 0) {
    throw new Error(
      `package-lock.json has no SHA-512 hash for ${unverified.join(', ')}: run node tools/complete-lockfile.mjs.`,
    );
  }
  const wanted = wantedStamp(repository);
  mkdirSync(join(repository, 'node_modules'), { recursive: true });
  rmSync(join(repository, STAMP), { force: true });
  rmSync(join(repository, NPM_RECORD), { force: true });
  const { code, output } = await withProgress(
    log,
    (seconds) => `npm ci: ${seconds} s`,
    () => runCommand('npm', ARGUMENTS, { cwd: repository, signal }),
  );
  if (code !== 0) throw new Error(`npm ci in ${repository} ended with exit code ${code}:\n${output}`);
  writeStamp(join(repository, STAMP), wanted);
}

/** @type {typeof import('./install-packages.d.mts').listUnverified} */
export function listUnverified(lock) {
  return Object.entries(packagesOf(lock))
    .filter(([at, { link }]) => at.includes('node_modules/') && !link)
    .filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
    .map(([at]) => at);
}

/** @param {string} repository */
function wantedStamp(repository) {
  const major = process.versions.node.split('.')[0];
  return {
    lock: hashContents(repository, ['package-lock.json']),
    platform: `Node ${major} on ${process.platform} ${process.arch}`,
  };
}

/**
 * @param {string} repository
 * @param {Record<string, unknown>} record
 */
function holdsLockedPackages(repository, record) {
  const locked = packagesOf(readStamp(join(repository, 'package-lock.json')));
  const installed = packagesOf(record);
  const complete = Object.entries(locked).every(([at, { version, integrity, optional }]) => {
    if (at === '' || !at.startsWith('node_modules/')) return true;
    const there = installed[at];
    if (there === undefined) return optional === true;
    return there.version === version && there.integrity === integrity;
  });
  return complete && Object.keys(installed).every((at) => at in locked);
}

/**
 * @param {Record<string, unknown> | undefined} lock
 * @returns {Record<string, { version?: string, integrity?: string, optional?: boolean, link?: boolean }>}
 */
function packagesOf(lock) {
  const packages = lock?.packages;
  return typeof packages === 'object' && packages !== null ? { ...packages } : {};
}
