import { existsSync } from 'node:fs';
import { cp, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import { repository } from './documents';
import { makeTemporaryFolder } from './temporary-folder';

/** A copy of the repository, as far as packing needs it, in which the plugin has not been built. */
export async function copyForPacking(copy = makeTemporaryFolder()): Promise<string> {
  for (const name of [
    'package.json',
    'LICENSE',
    'tsconfig.json',
    'tools/bundle.mjs',
    'tools/release',
    'provider',
  ])
    await cp(join(repository, name), join(copy, name), {
      recursive: true,
      filter: (source) => !source.includes('/plugin/main.js') && !source.includes('/provider/dist'),
    });
  await symlink(join(repository, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Packs the plugin in a copy of the repository. Returns the archive's path and the plugin's version. */
export async function packPlugin(): Promise<{ archive: string; version: string }> {
  const copy = await copyForPacking();
  await execa('npm', ['run', 'plugin:pack'], { cwd: copy });
  const text = await readFile(join(copy, 'provider/package.json'), 'utf8');
  const { version } = JSON.parse(text) as { version: string }; // This repository's own file.
  const archive = join(copy, `pulumi-resource-postgres-compute-v${version}.tar.gz`);
  if (!existsSync(archive)) throw new Error(`npm run plugin:pack did not write ${archive}.`);
  return { archive, version };
}

/** The files of a GitHub release, in a folder below this one. */
export async function makeRelease(
  copy = makeTemporaryFolder(),
): Promise<{ folder: string; version: string }> {
  await copyForPacking(copy);
  await execa('npm', ['run', 'release:files'], { cwd: copy });
  const { version } = JSON.parse(await readFile(join(copy, 'provider/package.json'), 'utf8'));
  return { folder: join(copy, '.release'), version };
}
