import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface InstallSize {
  readonly packages: number;
  /** The sum of the file sizes, whatever the file system makes of them. */
  readonly bytes: number;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, unknown>>;
}

/** How many packages npm has installed in a project, and how large they are. */
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
