import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runCommand } from '../../tools/setup/run-command.mjs';
import { makeTemporaryFolder, writeFiles } from '../temporary-folder';
import { isRunning } from './running-process.js';

const RUN_COMMAND = resolve('tools/setup/run-command.mjs');
/** A stubborn command: it writes its process id and does not end when asked to. */
const STUBBORN = `
  process.on('SIGTERM', () => {});
  require('node:fs').writeFileSync('command.pid', String(process.pid));
  setInterval(() => {}, 1000);
`;

async function startedProcess(folder: string): Promise<number> {
  const file = join(folder, 'command.pid');
  await vi.waitFor(() => expect(existsSync(file) && readFileSync(file, 'utf8')).toMatch(/^\d+$/), 10_000);
  return Number(readFileSync(file, 'utf8'));
}

test('returns the exit code and the output of a command that fails', async () => {
  const script = "console.log('partly done'); console.error('no space left'); process.exitCode = 3;";

  const result = await runCommand(process.execPath, ['-e', script], { cwd: makeTemporaryFolder() });

  expect(result.code).toBe(3);
  expect(result.output.split('\n').sort()).toEqual(['no space left', 'partly done']);
});

test('keeps the key of the service and the tokens of Pulumi from the command', async () => {
  const outer = {
    LANG: 'C',
    POSTGRES_COMPUTE_API_KEY: 'secret',
    POSTGRES_COMPUTE_BASE_URL: 'secret',
    PULUMI_ACCESS_TOKEN: 'secret',
    PULUMI_CONFIG_PASSPHRASE: 'secret',
    PULUMI_CONFIG_PASSPHRASE_FILE: 'secret',
  };
  for (const [name, value] of Object.entries(outer)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const print = ['-p', 'JSON.stringify(process.env)'];
  const cwd = makeTemporaryFolder();

  const inherited = await runCommand(process.execPath, print, { cwd });
  const given = await runCommand(process.execPath, print, { cwd, env: outer });

  expect(JSON.parse(inherited.output)).toMatchObject({ LANG: 'C', PATH: process.env.PATH });
  expect(inherited.output).not.toContain('secret');
  expect(JSON.parse(given.output)).toEqual({ LANG: 'C' });
});

test('says that a command is missing', async () => {
  const result = await runCommand('no-such-command', [], { cwd: makeTemporaryFolder() });

  expect(result).toEqual({
    code: 127,
    output: 'no-such-command could not be started: spawn no-such-command ENOENT',
  });
});

test('ends the command when the signal is aborted', async () => {
  const folder = makeTemporaryFolder();
  const interruption = new AbortController();
  const running = runCommand(process.execPath, ['-e', STUBBORN], {
    cwd: folder,
    signal: interruption.signal,
  });
  const processId = await startedProcess(folder);

  interruption.abort(new Error('interrupted'));

  await expect(running).rejects.toThrow('interrupted');
  expect(isRunning(processId)).toBe(false);
});

test('ends the command when the set-up itself is killed without warning', async () => {
  const folder = makeTemporaryFolder();
  writeFiles(folder, {
    'stubborn.cjs': STUBBORN,
    'setup.mjs': `
      import { runCommand } from ${JSON.stringify(RUN_COMMAND)};
      await runCommand(process.execPath, ['stubborn.cjs'], { cwd: ${JSON.stringify(folder)} });
    `,
  });
  const setUp = spawn(process.execPath, ['setup.mjs'], { cwd: folder, stdio: 'ignore' });
  const processId = await startedProcess(folder);

  setUp.kill('SIGKILL');

  await vi.waitFor(() => expect(isRunning(processId)).toBe(false), 15_000);
});
