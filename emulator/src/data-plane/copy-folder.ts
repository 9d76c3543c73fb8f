import { constants, type Dirent } from 'node:fs';
import { chown, copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../records/thrown-reason';
import { makeServerFolder, SERVER_USER } from './server-user';

/**
 * Copies a folder for the server user, without what `omits` names by its path in the folder. A file that a server removes
 * in the meantime is left out: the write-ahead log has that, too.
 */
export async function copyFolder(
  from: string,
  to: string,
  omits: (path: string) => boolean = () => false,
  path = '',
): Promise<void> {
  makeServerFolder(join(to, path));
  const copyEntry = async (entry: Dirent): Promise<void> => {
    const inner = join(path, entry.name);
    if (omits(inner)) return;
    if (entry.isDirectory()) await copyFolder(from, to, omits, inner);
    // Postgres makes links only for tablespaces, which clients cannot create. The emulator, as root, follows none.
    else if (entry.isFile()) await copyServerFile(join(from, inner), join(to, inner));
  };
  await Promise.all((await readdirIfExists(join(from, path))).map(copyEntry));
}

async function copyServerFile(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    if (SERVER_USER !== undefined) await chown(to, SERVER_USER.uid, SERVER_USER.gid);
  } catch (error) {
    ignoreMissing(error);
  }
}

async function readdirIfExists(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    ignoreMissing(error);
    return [];
  }
}

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, 'ENOENT')) throw error;
}
