import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { withoutSecrets } from '../child-environment.mjs';
import { BINARIES, hashPins, nameOf, PYTHON_SCRIPT, RESOURCE_PLUGIN } from './pins';

export interface PulumiCli {
  /** The absolute path of the `pulumi` binary. */
  readonly command: string;
  /** The folder of the binary: put it first on PATH. */
  readonly folder: string;
  /** For example `3.259.0`. */
  readonly version: string;
}

export interface FindOptions {
  /** Supplies PATH and PULUMI_CLI_DIR. @default process.env */
  environment?: NodeJS.ProcessEnv;
  /** Receives the reason why a CLI is skipped. */
  log?: (message: string) => void;
}

/** The oldest CLI whose `pulumi import --file` supports dynamic resources. */
export const OLDEST_PULUMI = '3.254.0';
/** The set-up's record of what it built. Without it, the user put the CLI there. */
export const RECORD = 'installed.json';
/** Programs and dynamic resources need these beside the CLI or on PATH. */
const REQUIRED = [...BINARIES.map(nameOf), PYTHON_SCRIPT, RESOURCE_PLUGIN];
const VERSION_TIMEOUT_MS = 15_000;

/** Finds a Pulumi CLI on PATH or in the project's own folder, and checks it by `pulumi version`. Takes about 0.2 s. */
export function findPulumiCli(options: FindOptions = {}): PulumiCli | undefined {
  const { environment = process.env, log = () => {} } = options;
  const own = cliFolder(environment);
  // The official layout has the binaries in bin/.
  const ownFolders = isCurrent(own, log) ? [own, join(own, 'bin')] : [];
  for (const folder of [...pathFolders(environment), ...ownFolders]) {
    const cli = inspect(folder, environment, log);
    if (cli !== undefined) return cli;
  }
  return undefined;
}

export function cliFolder(environment: NodeJS.ProcessEnv): string {
  return resolve(environment.PULUMI_CLI_DIR || join(__dirname, '../../.pulumi-cli'));
}

/** Whether the CLI in a folder, if there is one, was not built from other pins. */
function isCurrent(folder: string, log: (message: string) => void): boolean {
  const { pins } = readRecord(folder);
  if (pins === undefined || pins === hashPins()) return true;
  log(`skipped the Pulumi CLI in ${folder}: it was built from other pins`);
  return false;
}

function readRecord(folder: string): { pins?: unknown } {
  try {
    return JSON.parse(readFileSync(join(folder, RECORD), 'utf8'));
  } catch {
    return {};
  }
}

function inspect(
  folder: string,
  environment: NodeJS.ProcessEnv,
  log: (message: string) => void,
): PulumiCli | undefined {
  const command = join(folder, 'pulumi');
  if (!isExecutable(command)) return undefined;
  const version = runVersion(command, environment);
  const places = [folder, dirname(realpathSync(command)), ...pathFolders(environment)];
  const missing = REQUIRED.find((name) => !places.some((place) => isExecutable(join(place, name))));
  if (version === undefined) log(`skipped ${command}: \`pulumi version\` fails`);
  else if (isOlder(version, OLDEST_PULUMI))
    log(`skipped ${command}: ${version} is older than ${OLDEST_PULUMI}`);
  else if (missing !== undefined) log(`skipped ${command}: no ${missing} beside it or on PATH`);
  else return { command, folder, version };
  return undefined;
}

function runVersion(command: string, environment: NodeJS.ProcessEnv): string | undefined {
  // Every run of the CLI leaves a log file in its home.
  const home = mkdtempSync(join(tmpdir(), 'pulumi-version-'));
  const env = { ...withoutSecrets(environment), PULUMI_SKIP_UPDATE_CHECK: '1', PULUMI_HOME: home };
  const { stdout } = spawnSync(command, ['version'], { env, encoding: 'utf8', timeout: VERSION_TIMEOUT_MS });
  rmSync(home, { recursive: true, force: true });
  return /^v?(\d+\.\d+\.\d+)/.exec(stdout?.trim() ?? '')?.[1];
}

export function isOlder(version: string, limit: string): boolean {
  return version.localeCompare(limit, 'en', { numeric: true }) < 0;
}

function pathFolders(environment: NodeJS.ProcessEnv): string[] {
  return (environment.PATH ?? '').split(delimiter).filter(isAbsolute);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
