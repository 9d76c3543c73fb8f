import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const command = join(
  dirname(require.resolve('postgres-control-emulator/package.json')),
  'bin/postgres-control-emulator.js',
);

/** The running command and the settings that it printed. */
async function startCommand(
  ...args: string[]
): Promise<{ child: ChildProcess; settings: Record<string, string> }> {
  return startCommandIn({}, ...args);
}

async function startCommandIn(
  environment: Record<string, string>,
  ...args: string[]
): Promise<{ child: ChildProcess; settings: Record<string, string> }> {
  const child = spawn(process.execPath, [command, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const settings: Record<string, string> = {};
  for await (const line of createInterface(child.stdout)) {
    const [name = '', value = ''] = line.split(/=(.*)/);
    settings[name] = value;
    if (Object.keys(settings).length === 2) break;
  }
  return { child, settings };
}

async function refuse(...args: string[]): Promise<{ code: number; stderr: string }> {
  const ended = promisify(execFile)(process.execPath, [command, ...args]);
  return ended.then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  );
}

it('the command prints a base URL and a key that work', async () => {
  const { settings } = await startCommand('--api-key', 'local', '--region-id', 'moon-1');
  expect(settings.POSTGRES_COMPUTE_API_KEY).toBe('local');
  const response = await fetch(`${settings.POSTGRES_COMPUTE_BASE_URL}/projects`, {
    method: 'POST',
    headers: { authorization: 'Bearer local', 'content-type': 'application/json' },
    body: '{"project":{}}',
  });
  expect(await response.json()).toMatchObject({ project: { region_id: 'moon-1' } });
});

it.each(['SIGINT', 'SIGTERM'] as const)('the command exits with code 0 on %s', async (signal) => {
  const { child } = await startCommand();
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([0, null]);
});

it.each([
  ['the environment', [], 'from-environment'],
  ['an argument, which overrides the environment', ['--api-key', 'from-argument'], 'from-argument'],
])('the command takes the key from %s', async (_case, args, expected) => {
  const environment = { POSTGRES_CONTROL_EMULATOR_API_KEY: 'from-environment' };
  const { settings } = await startCommandIn(environment, ...args);
  expect(settings.POSTGRES_COMPUTE_API_KEY).toBe(expected);
});

it('--operation-ms accepts a duration per action', async () => {
  const { settings } = await startCommand('--operation-ms', 'create_timeline=60000,default=0');
  const response = await fetch(`${settings.POSTGRES_COMPUTE_BASE_URL}/projects`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${settings.POSTGRES_COMPUTE_API_KEY}`,
      'content-type': 'application/json',
    },
    body: '{"project":{}}',
  });
  expect(await response.json()).toMatchObject({
    operations: [{ status: 'running' }, { status: 'scheduling' }],
  });
});

it.each([
  [['--host', '0.0.0.0'], /host 0.0.0.0 can be reached from other machines.*--allow-remote/],
  [['--port', 'http'], /It must be a number/],
  [['--operation-ms', 'start_compute='], /It must be a number/],
  [['--plan', 'gold'], /Allowed choices are free, paid/],
  [['--max-cu', '99'], /maxCu must be a whole number from 1 to 56; got 99/],
])('the command rejects %j with a message', async (args, message) => {
  expect(await refuse(...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
});

it('--help contains an example', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [command, '--help']);
  expect(stdout).toContain('$ postgres-control-emulator --port 8080');
});
