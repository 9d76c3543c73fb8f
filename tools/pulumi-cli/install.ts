import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../setup/lock.mjs';
import { runCommand } from '../setup/run-command.mjs';
import { buildFromModules, type InstallStep } from './build-from-modules';
import { cliFolder, type FindOptions, findPulumiCli, OLDEST_PULUMI, type PulumiCli, RECORD } from './find';
import { hashPins, pinnedVersion } from './pins';

export interface EnsureOptions extends FindOptions {
  signal?: AbortSignal;
  /** The script that runs the official installer. @default run-installer.mjs */
  installer?: string;
}

/**
 * Finds a CLI, or else builds one from the pinned Go modules. With PULUMI_CLI_INSTALLER=1, Pulumi's official installer
 * replaces the build. It is not the default because no checksum verifies what it downloads.
 */
export async function ensurePulumiCli(options: EnsureOptions = {}): Promise<PulumiCli> {
  const { environment = process.env, log = () => {}, signal, installer } = options;
  const found = findPulumiCli({ environment });
  if (found !== undefined) return found;
  const folder = cliFolder(environment);
  // Other clones may share the folder.
  return withLock(join(folder, 'install.lock'), { log, signal }, async () => {
    const installedByOther = findPulumiCli({ environment, log });
    if (installedByOther !== undefined) return installedByOther;
    log(`no Pulumi CLI ${OLDEST_PULUMI} or newer on PATH or in ${folder}`);
    await installInto(folder, { environment, log, signal }, installer);
    const installed = findPulumiCli({ environment, log });
    if (installed !== undefined) return installed;
    throw new Error(`The Pulumi CLI just installed in ${folder} does not run: delete that folder and retry.`);
  });
}

async function installInto(
  folder: string,
  options: Omit<InstallStep, 'folder'>,
  installer = join(__dirname, 'run-installer.mjs'),
): Promise<void> {
  const workFolder = join(folder, 'unfinished');
  const { PULUMI_CLI_INSTALLER, PULUMI_CLI_SKIP_INSTALLER } = options.environment;
  const usesInstaller = PULUMI_CLI_INSTALLER === '1' && PULUMI_CLI_SKIP_INSTALLER !== '1';
  const binaries = join(workFolder, 'bin');
  rmSync(workFolder, { recursive: true, force: true }); // Left by a set-up that was killed.
  mkdirSync(binaries, { recursive: true });
  try {
    if (usesInstaller) await runInstaller(installer, { ...options, folder: workFolder });
    else await buildFromModules({ ...options, folder: binaries });
    // One by one, because the folder may hold other files. `pulumi` sorts before the names that begin with it, so it comes
    // last here: until then, the folder has no CLI or the previous one.
    const names = readdirSync(binaries).sort().reverse();
    for (const name of names) renameSync(join(binaries, name), join(folder, name));
    const pins = usesInstaller ? {} : { pins: hashPins() };
    writeFileSync(join(folder, RECORD), JSON.stringify({ version: pinnedVersion(), ...pins }));
  } finally {
    rmSync(workFolder, { recursive: true, force: true });
  }
}

/** Installs into `bin` of the folder; the installer's temporary files go into the folder too. */
async function runInstaller(
  installer: string,
  { folder, environment, log, signal }: InstallStep,
): Promise<void> {
  const version = pinnedVersion();
  log(`PULUMI_CLI_INSTALLER=1: running the official installer for Pulumi ${version}`);
  const env = { ...environment, TMPDIR: folder, PULUMI_HOME: join(folder, 'home') };
  await runCommand([process.execPath, installer, folder, version], {
    name: 'official installer',
    cwd: folder,
    env,
    log,
    signal,
  }).catch((cause) => {
    signal?.throwIfAborted();
    const advice = 'put a Pulumi CLI on PATH, or unset PULUMI_CLI_INSTALLER to build one with Go';
    throw new Error(`The Pulumi CLI is not installed: ${advice}. ${cause.message}`, { cause });
  });
}
