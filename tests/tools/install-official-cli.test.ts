import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installOfficialCli } from '../../tools/pulumi-cli/install-official-cli.mjs';
import { makeTemporaryFolder, writeFiles } from '../temporary-folder';

/** Runs a stand-in for the script that starts the official installer. */
function install(workFolder: string, script: string): Promise<string> {
  writeFiles(workFolder, { 'installer.mjs': script });
  return installOfficialCli({
    workFolder,
    version: '3.259.0',
    environment: process.env,
    log: () => {},
    sdkInstalled: Promise.resolve(),
    installer: join(workFolder, 'installer.mjs'),
  });
}

test('returns the folder of the binaries', async () => {
  const workFolder = makeTemporaryFolder();

  expect(await install(workFolder, 'process.exit(0);')).toBe(join(workFolder, 'official/bin'));
});

test('reports what the installer printed and what to do when it fails', async () => {
  const installing = install(makeTemporaryFolder(), "console.error('fetch failed'); process.exit(1);");

  await expect(installing).rejects.toThrow(
    /put a Pulumi CLI on PATH, or unset PULUMI_CLI_INSTALLER .*:\nfetch failed/,
  );
});
