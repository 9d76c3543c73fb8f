// Child processes that end with us, and lines that tell that a long one is alive.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { withoutSecrets } from '../child-environment.mjs';

const LEASH = fileURLToPath(new URL('leash.mjs', import.meta.url));
const KEPT_LINES = 60;
const PROGRESS_MS = 10_000;

/** @type {typeof import('./run-command.d.mts').runCommand} */
export function runCommand(command, args, { cwd, env = process.env, signal, onLine }) {
  signal?.throwIfAborted();
  const lines = /** @type {string[]} */ ([]);
  const leash = spawn(process.execPath, [LEASH, command, ...args], {
    cwd,
    env: withoutSecrets(env),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [leash.stdout, leash.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
      onLine?.(line);
    });
  }
  return new Promise((resolve, reject) => {
    const letGo = () => leash.stdin.destroy();
    signal?.addEventListener('abort', letGo, { once: true });
    leash.once('error', (error) => {
      signal?.removeEventListener('abort', letGo);
      reject(new Error(`Could not start ${command} in ${cwd}: ${error.message}.`, { cause: error }));
    });
    leash.once('exit', () => killGroup(leash.pid)); // Grandchildren that stayed behind.
    leash.once('close', (code) => {
      signal?.removeEventListener('abort', letGo);
      if (signal?.aborted) return reject(signal.reason);
      resolve({ code: code ?? 1, output: lines.join('\n') });
    });
  });
}

/** @type {typeof import('./run-command.d.mts').withProgress} */
export async function withProgress(log, describe, work) {
  const startedAt = Date.now();
  const timer = setInterval(() => log(describe(Math.round((Date.now() - startedAt) / 1_000))), PROGRESS_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** @param {number | undefined} groupId */
function killGroup(groupId) {
  if (groupId === undefined) return;
  try {
    process.kill(-groupId, 'SIGKILL');
  } catch {
    // The usual case: nobody is left in the group.
  }
}
