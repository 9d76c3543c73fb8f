import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConcurrentUpdateError, Stack } from '@pulumi/pulumi/automation';

/** In the error of a self-managed backend, one for each lock: `created by USER@HOST (pid PID)`. */
const lockHolder = /created by .*@(\S+) \(pid (\d+)\)/g;

/**
 * Waits while another process of this machine updates the stack, and removes the lock of one that was killed.
 * @throws Error if the holder of the lock is on another machine, or unknown, or if the signal is aborted
 */
export async function clearLock(
  stack: Pick<Stack, 'name' | 'cancel'>,
  { message }: Pick<ConcurrentUpdateError, 'message'>,
  signal?: AbortSignal,
): Promise<void> {
  const holders = [...message.matchAll(lockHolder)];
  if (holders.length === 0 || holders.some(([, host]) => host !== hostname()))
    throw new Error(
      `Another process updates the stack, or was killed: ${holders.map(([text]) => text).join(', ') || 'unknown'}. ` +
        `If none runs, run \`pulumi cancel --stack ${stack.name}\`, then the rollout again.`,
    );
  const isHeld = () => holders.some(([, , pid]) => isRunning(Number(pid)));
  // A process that ends removes its own lock. `pulumi cancel` here could remove the lock of the next one.
  if (!isHeld()) return stack.cancel();
  console.log(`${stack.name} waits for another process: ${holders.map(([text]) => text).join(', ')}`);
  while (isHeld()) await sleep(1_000, undefined, { signal });
}

/**
 * Makes this process the only rollout of a folder, until it ends: two of them would overwrite each other's results.
 * @throws Error if another one runs
 */
export function lockRollout(file: string): void {
  const holder = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [pid, host] = holder.split('@');
  const isOwn = host === hostname() && Number(pid) === process.pid;
  if (holder && !isOwn && (host !== hostname() || isRunning(Number(pid))))
    throw new Error(`Another rollout runs in this folder: process ${holder}. If none runs, delete ${file}.`);
  rmSync(file, { force: true });
  writeFileSync(file, `${process.pid}@${hostname()}`, { flag: 'wx' });
  process.once('exit', () => rmSync(file, { force: true }));
}

/** Whether a process runs. A zombie, whose parent has not read its exit code, does not. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException; // Of node:fs or of a system call.
    // Another user's process; or a system without /proc.
    return code === 'EPERM' || syscall === 'open';
  }
}
