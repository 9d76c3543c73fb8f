import { renameSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../records/thrown-reason';
import { runGuarded } from './guarded-process';
import { makeServerFolder } from './server-files';

/** With less, connections become slower; with more, a copy takes too long on a busy machine. */
const NICENESS = '3';

/**
 * Copies a folder as the server user. It follows no link. A process of its own does it, with low priority, so that
 * neither the gateway nor the servers are held up. A file that a server removes in the meantime is left out: the
 * write-ahead log has that, too.
 * @param omitted the names of entries that do not belong to the copy, and of folders that are empty in it
 */
export async function copyFolder(
  from: string,
  to: string,
  omitted: { readonly entries?: readonly string[]; readonly contents?: readonly string[] } = {},
): Promise<void> {
  const { entries = [], contents = [] } = omitted;
  makeServerFolder(to);
  const names = (await readdir(from)).filter((name) => !entries.includes(name));
  for (const name of contents) makeServerFolder(join(to, name));
  const copied = names.filter((name) => !contents.includes(name)).map((name) => join(from, name));
  if (copied.length === 0) return;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runGuarded('nice', ['-n', NICENESS, 'cp', '-RPp', ...copied, to], {
        isHarmless: (line) => line.includes('No such file or directory'),
      });
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || !reasonOf(error).includes(REPLACED)) throw error;
    }
  }
}

/** GNU cp leaves out a file when a server puts another in its place. */
const REPLACED = 'replaced while being copied';
const MOST_ATTEMPTS = 5;

/** How the name of a folder ends while its files are removed. */
export const REMOVED = '.removed';

/** Removes the folder, by a process too: nothing waits for its files. */
export function discard(folder: string): void {
  const removed = `${folder}.${Date.now()}${REMOVED}`;
  renameSync(folder, removed);
  // What is left, the next start removes.
  runGuarded('nice', ['-n', NICENESS, 'rm', '-rf', removed]).catch(() => undefined);
}
