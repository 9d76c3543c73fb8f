// The official installer, by way of the Pulumi SDK: a script and an archive of about 150 MB, neither of them verified by a
// checksum. It runs only if the user asks for it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand, withProgress } from '../setup/run-command.mjs';

const INSTALLER = fileURLToPath(new URL('run-installer.mjs', import.meta.url));

/** @type {typeof import('./install-official-cli.d.mts').installOfficialCli} */
export async function installOfficialCli({
  workFolder,
  version,
  environment,
  log,
  signal,
  sdkInstalled,
  installer = INSTALLER,
}) {
  await sdkInstalled;
  log(`PULUMI_CLI_INSTALLER=1: running the official installer for Pulumi ${version}`);
  const temporary = join(workFolder, 'temporary');
  mkdirSync(temporary, { recursive: true });
  const { code, output } = await withProgress(
    log,
    (seconds) => `official installer: ${seconds} s`,
    () =>
      runCommand(process.execPath, [installer, join(workFolder, 'official'), version], {
        cwd: workFolder,
        env: { ...environment, TMPDIR: temporary, PULUMI_HOME: temporary },
        signal,
      }),
  );
  if (code === 0) return join(workFolder, 'official/bin');
  throw new Error(
    'The official installer of the Pulumi CLI failed: put a Pulumi CLI on PATH, or unset PULUMI_CLI_INSTALLER to build ' +
      `one with Go:\n${output}`,
  );
}
