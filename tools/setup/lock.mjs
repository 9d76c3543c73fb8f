// Set-ups take turns. The lock is a folder. Its owner touches it every second, so that the next set-up can tell an owner
// that works from one that was killed.
import { mkdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const HEARTBEAT_MS = 1_000;
/** Polls without a heartbeat. Not seconds: when a laptop wakes up, the owner has been silent for long. */
const SILENT_POLLS = 40;

/**
 * Runs `work` while holding the lock. Waits while another process holds it; takes over from a killed one after 10 s.
 * @template Result
 * @param {string} folder
 * @param {{ log: (message: string) => void, signal?: AbortSignal | undefined, pollMs?: number }} options
 * @param {() => Promise<Result>} work
 */
export async function withLock(folder, { log, signal, pollMs = 250 }, work) {
  mkdirSync(dirname(folder), { recursive: true });
  let lastBeat = 0;
  let silentPolls = 0;
  // With `recursive`, undefined means that the folder existed.
  for (let poll = 0; mkdirSync(folder, { recursive: true }) === undefined; poll += 1) {
    if (poll === 0) log('waiting for another set-up to finish');
    const beat = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    silentPolls = beat === lastBeat ? silentPolls + 1 : 0;
    lastBeat = beat;
    if (silentPolls >= SILENT_POLLS) {
      log('taking over from a set-up that was killed');
      rmSync(folder, { recursive: true, force: true });
      continue;
    }
    await sleep(pollMs, undefined, { signal });
  }
  const heartbeat = setInterval(() => touch(folder), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder */
function touch(folder) {
  try {
    utimesSync(folder, new Date(), new Date());
  } catch {
    // The user deleted the folder.
  }
}
