import { onTestFinished } from 'vitest';
import { emulatorCommand, startCommand } from './emulator-command';

/** Runs the command with Postgres in a process of its own. It is killed after the test, if it still runs. */
export async function startPostgresCommand(...args: string[]) {
  const words = ['--postgres', '--postgres-port', '0', '--operation-ms', '0', ...args];
  const command = await startCommand([process.execPath, emulatorCommand, ...words]);
  onTestFinished(() => void command.child.kill('SIGKILL'));
  return command;
}
