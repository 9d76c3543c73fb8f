// The folder a CLI is installed in, and the stamp that says what is in it.
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { readStamp, writeStamp } from '../setup/stamps.mjs';

const STAMP = 'installed.json';

/**
 * What the stamp says. Without a stamp, what is there was put there by hand, and is not judged by our pins.
 * @param {string} folder
 * @returns {{ state: 'unfinished' | 'finished', origin: 'folder' | 'installer' | 'built', pins?: unknown }}
 */
export function readInstallation(folder) {
  const stamp = readStamp(join(folder, STAMP));
  if (stamp === undefined) return { state: 'finished', origin: 'folder' };
  return {
    state: stamp.state === 'finished' ? 'finished' : 'unfinished',
    origin: stamp.origin === 'installer' ? 'installer' : 'built',
    pins: stamp.pins,
  };
}

/**
 * Moves the binaries one by one: the folder may hold other things, which are not ours to delete. The stamp says
 * `unfinished` meanwhile.
 * @param {string} from a folder of binaries on the same volume
 * @param {string} folder
 * @param {Record<string, unknown>} stamp
 */
export function moveIntoFolder(from, folder, stamp) {
  mkdirSync(folder, { recursive: true });
  writeStamp(join(folder, STAMP), { ...stamp, state: 'unfinished' });
  for (const name of readdirSync(from)) renameSync(join(from, name), join(folder, name));
  writeStamp(join(folder, STAMP), { ...stamp, state: 'finished' });
}
