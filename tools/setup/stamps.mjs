// Stamps: small JSON files that record what a finished piece of set-up was made from.
// A stamp is written last and removed first, so an interrupted piece of work never looks finished.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @type {typeof import('./stamps.d.mts').listFiles} */
export function listFiles(folder) {
  const names = [];
  for (const entry of readFolder(folder)) {
    if (entry.isDirectory()) {
      names.push(...listFiles(join(folder, entry.name)).map((name) => `${entry.name}/${name}`));
      continue;
    }
    names.push(entry.name);
  }
  return names.sort();
}

/** @type {typeof import('./stamps.d.mts').hashContents} */
export function hashContents(root, names) {
  const hash = createHash('sha256');
  for (const name of names) {
    const content = readIfPresent(join(root, name));
    hash.update(`${name}\0${content === undefined ? 'absent' : content.length}\0`).update(content ?? '');
  }
  return hash.digest('hex');
}

/** @type {typeof import('./stamps.d.mts').hashSizes} */
export function hashSizes(root, names) {
  const hash = createHash('sha256');
  for (const name of names) {
    hash.update(`${name}\0${statSync(join(root, name), { throwIfNoEntry: false })?.size}\0`);
  }
  return hash.digest('hex');
}

/** @type {typeof import('./stamps.d.mts').readStamp} */
export function readStamp(file) {
  const text = readIfPresent(file);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text.toString('utf8'));
  } catch {
    return undefined; // Cut short, by a full disk for one: the same as no stamp.
  }
}

/** @type {typeof import('./stamps.d.mts').writeStamp} */
export function writeStamp(file, stamp) {
  mkdirSync(dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(stamp, null, 2)}\n`);
  renameSync(unfinished, file);
}

/** @param {string} file */
function readIfPresent(file) {
  return absentAsUndefined(() => readFileSync(file));
}

/** @param {string} folder */
function readFolder(folder) {
  return absentAsUndefined(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

/**
 * @template T
 * @param {() => T} read
 * @returns {T | undefined}
 */
function absentAsUndefined(read) {
  try {
    return read();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
