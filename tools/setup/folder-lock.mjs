// A lock that is a folder: two set-ups started at once take turns.
// The folder holds owner.json. Its owner touches that file every 2 s, so that a waiting process can tell a
// busy owner from one that was killed, also when the owner runs in another container.
import { randomUUID } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const HEARTBEAT_MS = 2_000;
const POLL_MS = 250;
/** Counted in polls, not by the clock: after a laptop's sleep every owner would look long silent. */
const SILENT_POLLS = 240;
/** What a killed set-up had started ends about 2 s after it (leash.mjs): taking over must not be quicker. */
const SILENT_POLLS_WHEN_DEAD = 16;
const POLLS_PER_MESSAGE = 120;
const DEAD = '-dead-';

/** @type {typeof import('./folder-lock.d.mts').withFolderLock} */
export async function withFolderLock(folder, { log, signal }, work) {
  const token = randomUUID();
  await acquire(folder, token, log, signal);
  const heartbeat = setInterval(() => touch(join(folder, 'owner.json')), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    removeDeadLocks(folder);
    if (readOwner(folder)?.token === token) removeFolder(folder);
  }
}

/**
 * @param {string} folder
 * @param {string} token
 * @param {(message: string) => void} log
 * @param {AbortSignal | undefined} signal
 */
async function acquire(folder, token, log, signal) {
  let silentPolls = 0;
  let lastBeat = 0;
  for (let poll = 0; !claim(folder, token); poll += 1) {
    signal?.throwIfAborted();
    const owner = readOwner(folder);
    if (poll % POLLS_PER_MESSAGE === 0 && owner !== undefined && isAlive(owner)) {
      log(`waiting for another set-up (process ${owner.processId}) to finish`);
    }
    const beat = lastTouched(join(folder, 'owner.json'));
    silentPolls = beat === lastBeat ? silentPolls + 1 : 0;
    lastBeat = beat;
    const limit = owner === undefined || isAlive(owner) ? SILENT_POLLS : SILENT_POLLS_WHEN_DEAD;
    if (owner !== undefined && silentPolls >= limit) {
      log(`taking over from a set-up that did not finish (process ${owner.processId})`);
      breakLock(folder, owner.token);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/**
 * A rename puts the folder there with its owner.json inside, and fails where a lock already stands.
 * @param {string} folder
 * @param {string} token
 */
function claim(folder, token) {
  const prepared = `${folder}-${token}`;
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(prepared);
  writeFileSync(
    join(prepared, 'owner.json'),
    JSON.stringify({ token, processId: process.pid, host: hostname() }),
  );
  try {
    renameSync(prepared, folder);
    return true;
  } catch (error) {
    rmSync(prepared, { recursive: true, force: true });
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'EPERM') return false;
    throw error;
  }
}

/**
 * Two waiting processes may find the same dead owner. Both move its lock to the same place, which works once:
 * the second must not move the new owner's lock.
 * @param {string} folder
 * @param {string} deadToken
 */
function breakLock(folder, deadToken) {
  if (readOwner(folder)?.token !== deadToken) return;
  try {
    renameSync(folder, `${folder}${DEAD}${deadToken}`);
  } catch {
    // The other one was quicker.
  }
}

/** @param {string} folder */
function removeDeadLocks(folder) {
  const names = readdirSync(dirname(folder)).filter((name) => name.startsWith(`${basename(folder)}${DEAD}`));
  for (const name of names) rmSync(join(dirname(folder), name), { recursive: true, force: true });
}

/** @param {string} folder */
function removeFolder(folder) {
  const leaving = `${folder}-${randomUUID()}`;
  renameSync(folder, leaving);
  rmSync(leaving, { recursive: true, force: true });
}

/**
 * @param {string} folder
 * @returns {{ token: string, processId: number, host: string } | undefined}
 */
function readOwner(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'owner.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {{ processId: number, host: string }} owner */
function isAlive(owner) {
  if (owner.host !== hostname()) return true; // Only its silence can tell.
  try {
    process.kill(owner.processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** @param {string} file */
function lastTouched(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** @param {string} file */
function touch(file) {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // The lock was taken over, or its folder deleted by hand: nothing to keep alive.
  }
}
