import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { installOfficialCli } from '../../tools/pulumi-cli/install-official-cli.mjs';
import { makeTemporaryFolder, writeFiles } from '../temporary-folder';
import { isRunning } from './running-process.js';

interface Attempt {
  workFolder: string;
  messages: string[];
  binaries: string | undefined;
}

/** Runs a stand-in for the script that starts the official installer. */
async function install(script: string): Promise<Attempt> {
  const workFolder = makeTemporaryFolder();
  const messages: string[] = [];
  writeFiles(workFolder, { 'installer.mjs': script });
  const binaries = await installOfficialCli({
    workFolder,
    version: '3.259.0',
    log: (message) => messages.push(message),
    sdkInstalled: Promise.resolve(),
    stallMs: 2_000,
    installer: join(workFolder, 'installer.mjs'),
  });
  return { workFolder, messages, binaries };
}

test('returns the folder of the binaries', async () => {
  const { workFolder, binaries } = await install('process.exit(0);');

  expect(binaries).toBe(join(workFolder, 'official/bin'));
});

test('gives way, with the reason in one line, when the installer fails', async () => {
  const { binaries, messages } = await install("console.error('fetch failed\\nmore'); process.exit(1);");

  expect(binaries).toBeUndefined();
  expect(messages.at(-1)).toBe('the official installer cannot be used here: fetch failed');
});

test('gives way when nothing arrives, and leaves no process of the installer behind', async () => {
  const { workFolder, binaries, messages } = await install(`
    import { spawn } from 'node:child_process';
    import { writeFileSync } from 'node:fs';
    const download = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    writeFileSync('download.pid', String(download.pid));
    process.on('SIGTERM', () => {});
    setInterval(() => {}, 1000);
  `);
  const downloadId = Number(readFileSync(join(workFolder, 'download.pid'), 'utf8'));

  expect(binaries).toBeUndefined();
  expect(messages.at(-1)).toBe('the official installer cannot be used here: nothing arrived for 2 s');
  await vi.waitFor(() => expect(isRunning(downloadId)).toBe(false));
});
