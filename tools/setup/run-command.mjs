import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { withoutSecrets } from '../child-environment.mjs';

const KEPT_CHARACTERS = 8_000;
const PROGRESS_MS = 20_000;
const KILL_AFTER_MS = 2_000;

/**
 * Runs a command of the set-up without the user's secrets, and reports every 20 s that it still runs. The command and all
 * its children end when `signal` is aborted, and when this process exits.
 * @param {string[]} command the program and its arguments
 * @param {{ name: string, cwd: string, env?: NodeJS.ProcessEnv, log: (message: string) => void, signal?: AbortSignal | undefined }} options
 * @throws Error with the last lines of the output when the command fails
 */
export async function runCommand([program = '', ...args], { name, cwd, env = process.env, log, signal }) {
  signal?.throwIfAborted();
  // A process group of its own: a signal to the group reaches grandchildren too.
  const child = spawn(program, args, {
    cwd,
    env: withoutSecrets(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = `${output}${text}`.slice(-KEPT_CHARACTERS);
    });
  }
  const kill = () => signalGroup(child.pid, 'SIGKILL');
  const stop = () => {
    signalGroup(child.pid, 'SIGTERM');
    setTimeout(kill, KILL_AFTER_MS).unref();
  };
  const startedAt = Date.now();
  const progress = setInterval(
    () => log(`${name}: ${Math.round((Date.now() - startedAt) / 1_000)} s`),
    PROGRESS_MS,
  );
  signal?.addEventListener('abort', stop, { once: true });
  process.once('exit', kill);
  try {
    const [code] = await once(child, 'close');
    signal?.throwIfAborted();
    if (code !== 0) throw new Error(`${name} failed with exit code ${code}:\n${output.trim()}`);
  } finally {
    clearInterval(progress);
    signal?.removeEventListener('abort', stop);
    process.removeListener('exit', kill);
    kill(); // Grandchildren that outlived the command.
  }
}

/**
 * @param {number | undefined} groupId
 * @param {NodeJS.Signals} signalName
 */
function signalGroup(groupId, signalName) {
  try {
    if (groupId !== undefined) process.kill(-groupId, signalName);
  } catch {
    // The group has already ended.
  }
}
