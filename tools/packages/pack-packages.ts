import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';

const repository = join(__dirname, '..', '..');

interface NpmPackRecord {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
  /** Bytes. */
  readonly size: number;
  /** Bytes. */
  readonly unpackedSize: number;
}

/** A workspace as npm would publish it. */
export interface PackedPackage extends NpmPackRecord {
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
  const records = JSON.parse(stdout) as readonly NpmPackRecord[]; // The documented shape of npm pack --json.
  return records.map((record) => ({ ...record, tarball: join(folder, record.filename) }));
}
