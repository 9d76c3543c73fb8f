import { fstatSync } from 'node:fs';

/** How often to check whether the parent process has changed. Milliseconds. */
const watchMs = 500;

/**
 * Ends this process when the CLI that started it has ended, however it ended. A provider process outlives a CLI that is
 * killed, and would continue work that no state records. The CLI holds the other end of the standard input, so end-of-file
 * means that it has ended. If standard input is not a pipe, another parent process means the same. How the next run finds a
 * create that ended this way: lifecycle/create-once.ts.
 */
export function endWithEngine(): void {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent) process.exit(0);
  }, watchMs);
  watch.unref();
  if (!isPipe(0)) return;
  const end = () => process.exit(0);
  process.stdin.on('end', end).on('error', end).resume();
}

function isPipe(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFIFO();
  } catch {
    // It is closed.
    return false;
  }
}
