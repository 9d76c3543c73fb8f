// Child processes that end with us, and lines that tell that a long one is alive.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const KEPT_LINES = 60;
const KILL_AFTER_MS = 5_000;
const PROGRESS_MS = 10_000;

/** @type {typeof import('./run-command.d.mts').runCommand} */
export function runCommand(command, args, { cwd, env, signal, onLine, ownGroup = false }) {
  signal?.throwIfAborted();
  const lines = /** @type {string[]} */ ([]);
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: ownGroup });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
      onLine?.(line);
    });
  }
  return new Promise((resolve, reject) => {
    const stop = () => {
      kill(child, 'SIGTERM', ownGroup);
      setTimeout(() => kill(child, 'SIGKILL', ownGroup), KILL_AFTER_MS).unref();
    };
    signal?.addEventListener('abort', stop, { once: true });
    child.once('error', (error) => {
      signal?.removeEventListener('abort', stop);
      reject(new Error(`Could not start ${command}: ${error.message}.`, { cause: error }));
    });
    child.once('close', (code, killedBy) => {
      signal?.removeEventListener('abort', stop);
      if (ownGroup) kill(child, 'SIGKILL', true); // Grandchildren that closed their output and stayed.
      if (signal?.aborted) return reject(signal.reason);
      resolve({ code: code ?? 1, outcome: killedBy ?? `exit code ${code}`, output: lines.join('\n') });
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

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signalName
 * @param {boolean} wholeGroup
 */
function kill(child, signalName, wholeGroup) {
  if (!wholeGroup) {
    child.kill(signalName);
    return;
  }
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signalName);
  } catch {
    // The group has ended by itself.
  }
}
