import { readFileSync } from 'node:fs';

/** Whether a process runs. One that has ended stays listed until its parent has asked for its exit code. */
export function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
  } catch {
    return false;
  }
  return !isWaitingForItsParent(processId);
}

function isWaitingForItsParent(processId: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${processId}/status`, 'utf8'));
  } catch {
    return false; // No /proc on this system.
  }
}
