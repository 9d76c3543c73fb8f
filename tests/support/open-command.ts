import type { SpawnOptions } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { emulatorCommand, type RunningCommand, startCommand } from './emulator-command';

// Apart from what it calls, which the benchmarks use too: they run without vitest.

/** Runs the command with these arguments. It is killed after the test, if it still runs. */
export async function openCommand(args: readonly string[], options?: SpawnOptions): Promise<RunningCommand> {
  const command = await startCommand([process.execPath, emulatorCommand, ...args], options);
  onTestFinished(() => void command.child.kill('SIGKILL'));
  return command;
}
