import { renameSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../records/thrown-reason';
import { runGuarded } from './guarded-process';
import { makeServerFolder } from './server-user';

/** With less, connections become slower; with more, a copy takes too long on a busy machine. */
const NICENESS = '3';

/** What does not belong to the copy, by the names of entries of the folder. */
export interface Omitted {
  readonly entries?: readonly string[];
  /** Folders that are empty in the copy. */
  readonly contents?: readonly string[];
}

/**
 * Copies a folder as the server user. It follows no link. A process of its own does it, with low priority, so that
 * neither the gateway nor the servers are held up. A file that a server removes in the meantime is left out: the
 * write-ahead log has that, too.
 */
export async function copyFolder(
  from: string,
  to: string,
  { entries = [], contents = [] }: Omitted = {},
): Promise<void> {
  makeServerFolder(to);
  const names = (await readdir(from)).filter((name) => !entries.includes(name));
  for (const name of contents) makeServerFolder(join(to, name));
  const copied = names.filter((name) => !contents.includes(name)).map((name) => join(from, name));
  if (copied.length === 0) return;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runGuarded('nice', ['-n', NICENESS, 'cp', '-RPp', ...copied, to], {
        isHarmless: isMissing,
      });
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || !reasonOf(error).includes(REPLACED)) throw error;
    }
  }
}

/** GNU cp leaves out a file when a server puts another in its place. */
const REPLACED = 'replaced while being copied';
const MOST_ATTEMPTS = 5;

const isMissing = (line: string): boolean => line.includes('No such file or directory');

/** How the name of a folder ends while its files are removed. */
export const REMOVED = '.removed';

/** Removes the folder, by a process too: nothing waits for its files. */
export function discard(folder: string): void {
  const removed = `${folder}.${Date.now()}${REMOVED}`;
  renameSync(folder, removed);
  // What is left, the next start removes.
  runGuarded('nice', ['-n', NICENESS, 'rm', '-rf', removed]).catch(() => undefined);
}
