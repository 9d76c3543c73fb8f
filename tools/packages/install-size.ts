import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface InstallSize {
  readonly packages: number;
  /** The sum of the file sizes, not of the blocks on disk. */
  readonly bytes: number;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, unknown>>;
}

/** The number and the size of the packages that npm installed in a project. */
export async function measureInstall(folder: string): Promise<InstallSize> {
  const text = await readFile(join(folder, 'node_modules', '.package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as Lockfile; // npm's own record of what it has installed.
  return { packages: Object.keys(packages).length, bytes: await sizeOf(join(folder, 'node_modules')) };
}

async function sizeOf(path: string): Promise<number> {
  const stats = await lstat(path);
  if (!stats.isDirectory()) return stats.size;
  const names = await readdir(path);
  const sizes = await Promise.all(names.map((name) => sizeOf(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}
