import { existsSync, statfsSync } from 'node:fs';

const FOLDER = '/dev/shm';
const NEEDED_BYTES = 2 * 1024 ** 3;

/**
 * Moves the temporary folders of this process and its children into memory, if there is enough: a Postgres cluster is a
 * thousand small files, which some disks take seconds to remove.
 */
export function useMemoryForTemporaryFolders(): void {
  if (process.env.TMPDIR !== undefined || !existsSync(FOLDER)) return;
  const { bavail, bsize } = statfsSync(FOLDER);
  if (bavail * bsize >= NEEDED_BYTES) process.env.TMPDIR = FOLDER;
}
