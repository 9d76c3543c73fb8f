import { readFileSync } from 'node:fs';

/** Whether a process runs. A zombie, which waits for its parent to read its exit code, does not. */
export function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
  } catch {
    return false;
  }
  return !isZombie(processId);
}

function isZombie(processId: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${processId}/status`, 'utf8'));
  } catch {
    return false; // No /proc on this system.
  }
}
