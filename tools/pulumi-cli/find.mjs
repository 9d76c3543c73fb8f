// Where a Pulumi CLI comes from: PATH, the project's own folder, or else a build from the pinned Go modules. The official
// installer, which no checksum verifies, runs instead of the build only if the user asks for it.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutSecrets } from '../child-environment.mjs';
import { withFolderLock } from '../setup/folder-lock.mjs';
import { buildFromModules, hashPins, pinnedVersion } from './build-from-modules.mjs';
import { installOfficialCli } from './install-official-cli.mjs';
import { moveIntoFolder, readInstallation } from './installed-folder.mjs';

export const OLDEST_PULUMI = '3.254.0';
const REPOSITORY = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Without these beside it or on PATH, a program in TypeScript or with a dynamic resource does not run. */
const COMPANIONS = ['pulumi-language-nodejs', 'pulumi-resource-pulumi-nodejs'];
const VERSION_TIMEOUT_MS = 15_000;

/** @type {typeof import('./find.d.mts').findPulumiCli} */
export function findPulumiCli({ environment = process.env, log = () => {} } = {}) {
  return findOnPath(environment, log) ?? findInFolder(environment, log);
}

/** @type {typeof import('./find.d.mts').ensurePulumiCli} */
export async function ensurePulumiCli({
  environment = process.env,
  log = () => {},
  signal,
  sdkInstalled = Promise.resolve(),
  installer,
} = {}) {
  const found = findPulumiCli({ environment });
  if (found !== undefined) return found;
  return withFolderLock(join(cliFolder(environment), 'install.lock'), { log, signal }, async () => {
    const installedMeanwhile = findPulumiCli({ environment, log });
    if (installedMeanwhile !== undefined) return installedMeanwhile;
    log(`no usable Pulumi CLI ${OLDEST_PULUMI} or newer on PATH or in ${cliFolder(environment)}`);
    await installCli({ environment, log, signal, sdkInstalled, installer });
    const installed = findInFolder(environment, log);
    if (installed !== undefined) return installed;
    throw new Error(
      `The Pulumi CLI just installed in ${cliFolder(environment)} does not run: delete that folder and start again.`,
    );
  });
}

/** @param {import('./find.d.mts').EnsureOptions & { environment: NodeJS.ProcessEnv }} options */
async function installCli({ environment, ...rest }) {
  const folder = cliFolder(environment);
  const workFolder = join(folder, 'unfinished');
  const version = pinnedVersion();
  const options = { ...rest, environment, repository: REPOSITORY, workFolder, version };
  rmSync(workFolder, { recursive: true, force: true }); // Of a run that was killed: the lock is ours.
  try {
    if (asksForInstaller(environment)) {
      moveIntoFolder(await installOfficialCli(options), folder, { origin: 'installer', version });
      return;
    }
    const built = await buildFromModules(options);
    moveIntoFolder(built, folder, { origin: 'built', version, pins: hashPins() });
  } finally {
    rmSync(workFolder, { recursive: true, force: true });
  }
}

/** @param {NodeJS.ProcessEnv} environment */
function asksForInstaller({ PULUMI_CLI_INSTALLER, PULUMI_CLI_SKIP_INSTALLER }) {
  return PULUMI_CLI_INSTALLER === '1' && PULUMI_CLI_SKIP_INSTALLER !== '1';
}

/**
 * @param {NodeJS.ProcessEnv} environment
 * @param {(message: string) => void} log
 */
function findOnPath(environment, log) {
  for (const folder of pathFolders(environment)) {
    const cli = inspect(folder, environment, log);
    if (cli !== undefined) return /** @type {const} */ ({ ...cli, origin: 'path' });
  }
  return undefined;
}

/**
 * @param {NodeJS.ProcessEnv} environment
 * @param {(message: string) => void} log
 */
function findInFolder(environment, log) {
  const folder = cliFolder(environment);
  const installation = readInstallation(folder);
  if (installation.state === 'unfinished') {
    log(`the installation in ${folder} was not finished: passed over`);
    return undefined;
  }
  if (installation.origin === 'built' && installation.pins !== hashPins()) {
    log(`the Pulumi CLI in ${folder} was built from other pins: passed over`);
    return undefined;
  }
  // The official layout has the binaries in bin/.
  const cli = inspect(folder, environment, log) ?? inspect(join(folder, 'bin'), environment, log);
  return cli && { ...cli, origin: installation.origin };
}

/**
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} environment
 * @param {(message: string) => void} log
 */
function inspect(folder, environment, log) {
  const command = join(folder, 'pulumi');
  if (!isExecutable(command)) return undefined;
  const version = runVersion(command, environment);
  if (version === undefined) {
    log(`${command} does not answer \`pulumi version\`: passed over`);
    return undefined;
  }
  if (isOlder(version, OLDEST_PULUMI)) {
    log(`${command} is ${version}, older than ${OLDEST_PULUMI}: passed over`);
    return undefined;
  }
  const places = [folder, dirname(realpathSync(command)), ...pathFolders(environment)];
  const missing = COMPANIONS.find((name) => !places.some((place) => isExecutable(join(place, name))));
  if (missing !== undefined) {
    log(`${command} has no ${missing} beside it or on PATH: passed over`);
    return undefined;
  }
  return { command, folder, version };
}

/**
 * @param {string} command
 * @param {NodeJS.ProcessEnv} environment
 */
function runVersion(command, environment) {
  // Every run of the CLI leaves a log file in its home.
  const home = mkdtempSync(join(tmpdir(), 'pulumi-version-'));
  const env = { ...withoutSecrets(environment), PULUMI_SKIP_UPDATE_CHECK: '1', PULUMI_HOME: home };
  const { stdout } = spawnSync(command, ['version'], { env, encoding: 'utf8', timeout: VERSION_TIMEOUT_MS });
  rmSync(home, { recursive: true, force: true });
  return /^v?(\d+\.\d+\.\d+)/.exec(stdout?.trim() ?? '')?.[1];
}

/**
 * @param {string} version
 * @param {string} limit
 */
function isOlder(version, limit) {
  const order = new Intl.Collator('en', { numeric: true });
  return order.compare(version, limit) < 0;
}

/** @param {NodeJS.ProcessEnv} environment */
function cliFolder(environment) {
  return environment.PULUMI_CLI_DIR ? resolve(environment.PULUMI_CLI_DIR) : join(REPOSITORY, '.pulumi-cli');
}

/** @param {NodeJS.ProcessEnv} environment */
function pathFolders(environment) {
  return (environment.PATH ?? '').split(delimiter).filter(isAbsolute);
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
