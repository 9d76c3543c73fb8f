import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';

const repository = join(__dirname, '..', '..');

/** A workspace as npm would publish it. */
export interface PackedPackage {
  readonly name: string;
  /** The path of the .tgz file. */
  readonly tarball: string;
}

/** Packs the workspaces into `folder`, after a clean build: tsc leaves the outputs of deleted sources behind. */
export async function packPackages(folder: string): Promise<readonly PackedPackage[]> {
  for (const name of ['provider', 'emulator'])
    await rm(join(repository, name, 'dist'), { recursive: true, force: true });
  await execa('npm', ['run', 'build'], { cwd: repository });
  const { stdout } = await execa('npm', ['pack', '--workspaces', '--json', '--pack-destination', folder], {
    cwd: repository,
  });
  const records = JSON.parse(stdout) as { name: string; filename: string }[]; // The documented shape of npm pack --json.
  return records.map(({ name, filename }) => ({ name, tarball: join(folder, filename) }));
}
