import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { commandFile, commandOf } from '../support/start-command';
import { startHttpService } from '../support/start-http-service';

async function startService(operationMs = 20) {
  const service = commandOf(await startHttpService({ operationMs }));
  /** Runs the command in a process of its own. */
  const start = (...words: string[]): ChildProcess => {
    const env = { ...process.env, ...service.environment };
    const child = spawn(process.execPath, [commandFile, ...words], { env });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  return { ...service, start };
}

/** The streams of a child that was started with pipes. */
function pipesOf({ stdout, stderr }: ChildProcess) {
  if (!stdout || !stderr) throw new Error('The child has no pipes.');
  return { stdout, stderr };
}

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s ends a wait with a message, without a stack, and with exit code %d',
  async (signal, exitCode) => {
    const { start, run, primary } = await startService(60_000);
    const { stdout } = await run('endpoints', 'suspend', primary.id, '--no-wait', '--json');
    const [{ id } = { id: '' }] = JSON.parse(stdout).operations as { id: string }[];
    const child = start('operations', 'wait', id);
    const { stderr } = pipesOf(child);
    const [started] = (await once(stderr, 'data')) as [Buffer];
    const rest = text(stderr);
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([exitCode, null]);
    expect(`${started}${await rest}`).toBe(
      `${id} suspend_compute: In progress\nInterrupted. Operations continue at the service.\n`,
    );
  },
);

it('a list exits quietly when its reader closes the pipe', async () => {
  const { start, emulator, project } = await startService();
  for (let number = 0; number < 1_200; number += 1) emulator.createBranch(project.id);
  const child = start('operations', 'list');
  const { stdout, stderr } = pipesOf(child);
  await once(stdout, 'data');
  stdout.destroy();
  expect(await Promise.all([once(child, 'exit'), text(stderr)])).toEqual([[0, null], '']);
});

it('the process exits with the exit code of the command', async () => {
  const { start } = await startService();
  const codes = [
    ['--version'],
    ['frobnicate'],
    ['operations', 'get', '11111111-1111-4111-8111-111111111111'],
  ].map(async (words) => (await once(start(...words), 'exit'))[0]);
  expect(await Promise.all(codes)).toEqual([0, 2, 4]);
});

it('the command starts without a warning and without the Pulumi SDK', async () => {
  const script = `
    process.argv = [process.argv[0], 'postgres-compute', '--version'];
    process.on('exit', () => console.error(Object.keys(require.cache).filter((file) => /@pulumi/.test(file)).length));
    require(${JSON.stringify(commandFile)});`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--trace-warnings', '-e', script]);
  expect(stderr).toBe('0\n');
});
