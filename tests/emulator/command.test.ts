import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { emulatorCommand } from '../support/emulator-command';
import { openCommand } from '../support/open-command';
import { sendRequest } from '../support/send-request';

async function refuse(...args: string[]): Promise<{ code: number; stderr: string }> {
  const ended = promisify(execFile)(process.execPath, [emulatorCommand, ...args]);
  return ended.then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  );
}

it('the command prints a base URL and a key that work', async () => {
  const command = await openCommand(['--api-key', 'local', '--operation-ms', '0']);
  expect(command.apiKey).toBe('local');
  const response = await sendRequest(command, 'POST', '/projects', { project: {} });
  expect(response.status).toBe(201);
});

it.each(['SIGINT', 'SIGTERM'] as const)('the command exits with code 0 on %s', async (signal) => {
  const { end } = await openCommand([]);
  expect(await end(signal)).toEqual([0, null]);
});

it.each([
  ['the environment', [], 'from-environment'],
  ['an argument, which overrides the environment', ['--api-key', 'from-argument'], 'from-argument'],
])('the command takes the key from %s', async (_case, args, expected) => {
  const environment = { POSTGRES_CONTROL_EMULATOR_API_KEY: 'from-environment' };
  expect((await openCommand(args, { env: { ...process.env, ...environment } })).apiKey).toBe(expected);
});

it.each([
  [['--host', '0.0.0.0'], /host 0.0.0.0 can be reached from other machines.*--allow-remote/],
  [['--port', 'http'], /It must be a number/],
  [['--locks', 'all'], /Allowed choices are project, endpoint, none/],
  [['--max-cu', '99'], /maxCu must be a whole number from 1 to 56; got 99/],
])('the command rejects %j with a message', async (args, message) => {
  expect(await refuse(...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
});

it('--help contains an example', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [emulatorCommand, '--help']);
  expect(stdout).toContain('$ postgres-control-emulator --port 8080');
});

it('the command names --port 0 when the port is taken', async () => {
  const { port } = new URL((await openCommand([])).url);
  expect((await refuse('--port', port)).stderr).toContain(
    `port ${port} of 127.0.0.1 is taken: stop what listens on it, or let the emulator choose a free one with --port 0`,
  );
});
