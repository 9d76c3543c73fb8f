import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { EmulatorOptions } from 'postgres-control-emulator';
import { onTestFinished } from 'vitest';
import { runCommand } from '../../provider/src/command/program';
import { Screen } from '../../provider/src/command/screen';
import { startService } from './start-service';

/** Quick pacing: what takes seconds at the service takes milliseconds here. */
const pacing = {
  pollPacing: { shortestMs: 10, longestMs: 50 },
  retryPacing: { baseMs: 5, capMs: 20, unreachableMs: 100 },
};

/** For `expect.poll`: what happens soon may take long on a busy machine. */
export const patience = { timeout: 15_000, interval: 5 };

/** The published command, as npm links it. */
export const commandFile = join(__dirname, '..', '..', 'provider', 'bin', 'postgres-compute.js');

/** What the command left behind. */
export interface CommandEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in this process, as on a terminal or not. */
export async function runWith(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  { isTTY = false } = {},
): Promise<CommandEnd> {
  const open = () => Object.assign(new PassThrough({ encoding: 'utf8', highWaterMark: 2 ** 24 }), { isTTY });
  const [stdout, stderr] = [open(), open()];
  const screen = new Screen(stdout, stderr, environment);
  const exitCode = await runCommand(words, { environment, screen, pacing });
  return { exitCode, stdout: stdout.read() ?? '', stderr: stderr.read() ?? '' };
}

/** An emulator with a project and an empty branch, and the command that talks to it. */
export async function startCommand(options: EmulatorOptions = {}) {
  const service = await startService(options);
  const { emulator, project } = service;
  const [primary] = emulator.endpoints(project.id);
  if (!primary) throw new Error('The project has no endpoint.');
  const environment = {
    POSTGRES_COMPUTE_BASE_URL: emulator.url,
    POSTGRES_COMPUTE_API_KEY: emulator.apiKey,
    POSTGRES_COMPUTE_PROJECT: project.id,
  };
  const run = (...words: string[]) => runWith(words, environment);
  const runOnTerminal = (words: readonly string[], more: NodeJS.ProcessEnv = {}) =>
    runWith(words, { ...environment, ...more }, { isTTY: true });
  const start = (...words: string[]): ChildProcess => {
    const child = spawn(process.execPath, [commandFile, ...words], {
      env: { ...process.env, ...environment },
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    return child;
  };
  return { ...service, primary, environment, run, runOnTerminal, start };
}
