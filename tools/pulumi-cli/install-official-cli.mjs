// The official installer, by way of the Pulumi SDK. It downloads about 150 MB from outside; where that is
// blocked it must give way quickly, whether the network refuses or stays silent.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand, withProgress } from '../setup/run-command.mjs';
import { listFiles } from '../setup/stamps.mjs';

const INSTALLER = fileURLToPath(new URL('run-installer.mjs', import.meta.url));
const WATCH_MS = 1_000;
const STALL_MS = 20_000;

/** @type {typeof import('./install-official-cli.d.mts').installOfficialCli} */
export async function installOfficialCli({
  workFolder,
  version,
  log,
  signal,
  sdkInstalled,
  stallMs = STALL_MS,
  installer = INSTALLER,
}) {
  await sdkInstalled;
  log(`trying the official installer for Pulumi ${version} (PULUMI_CLI_SKIP_INSTALLER=1 leaves it out)`);
  const root = join(workFolder, 'official');
  const temporary = join(workFolder, 'temporary');
  mkdirSync(temporary, { recursive: true });
  const stalled = new AbortController();
  const watch = watchGrowth(workFolder, stallMs, () =>
    stalled.abort(new Error(`nothing arrived for ${stallMs / 1_000} s`)),
  );
  try {
    const { code, output } = await withProgress(
      log,
      (seconds) => `official installer: ${seconds} s, ${Math.round(sizeOf(workFolder) / 1e6)} MB`,
      () =>
        runCommand(process.execPath, [installer, root, version], {
          cwd: workFolder,
          env: { ...process.env, TMPDIR: temporary, PULUMI_HOME: temporary },
          signal: AbortSignal.any(signal === undefined ? [stalled.signal] : [stalled.signal, signal]),
        }),
    );
    if (code === 0) return join(root, 'bin');
    log(`the official installer cannot be used here: ${firstLine(output) ?? `exit code ${code}`}`);
  } catch (error) {
    if (signal?.aborted) throw error;
    log(`the official installer cannot be used here: ${error instanceof Error ? error.message : error}`);
  } finally {
    clearInterval(watch);
  }
  return undefined;
}

/**
 * A slow download is welcome, a silent one is not: what counts is whether the folder grows.
 * @param {string} folder
 * @param {number} stallMs
 * @param {() => void} onStall
 */
function watchGrowth(folder, stallMs, onStall) {
  let size = 0;
  let grewAt = Date.now();
  const watchMs = Math.min(WATCH_MS, stallMs / 4);
  return setInterval(() => {
    const sizeNow = sizeOf(folder);
    if (sizeNow !== size) grewAt = Date.now();
    size = sizeNow;
    if (Date.now() - grewAt >= stallMs) onStall();
  }, watchMs);
}

/** @param {string} folder */
function sizeOf(folder) {
  return listFiles(folder)
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);
}

/** @param {string} output */
function firstLine(output) {
  return output
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim()
    .slice(0, 200);
}
