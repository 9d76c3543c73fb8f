import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import execa from 'execa';
import { repository } from '../support/documents';

/** A workspace as npm would publish it. */
export interface PackedPackage {
  readonly name: string;
  /** The path of the .tgz file. */
  readonly tarball: string;
}

/** One way to use the packages. */
export interface Trial {
  readonly name: string;
  /** In an empty folder. Returns what it has shown. */
  readonly run: (folder: string, packages: readonly PackedPackage[]) => Promise<string>;
}

/** Packs the packages and tries them, and prints a line for each trial. One that fails sets exit code 1. */
export async function runTrials(trials: readonly Trial[]): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'postgres-compute-trials-'));
  try {
    const packages = await packPackages(root);
    for (const [index, { name, run }] of trials.entries()) {
      const startedAt = Date.now();
      const folder = join(root, String(index));
      await mkdir(folder);
      const outcome = await run(folder, packages).catch((error: Error) => {
        process.exitCode = 1;
        return `FAILED: ${error.message}`;
      });
      await rm(folder, { recursive: true, force: true });
      const seconds = Math.round((Date.now() - startedAt) / 1_000);
      process.stdout.write(`${name}: ${outcome} (${seconds} s)\n`);
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Packs the workspaces into `folder`, after a clean build: tsc leaves the outputs of deleted sources behind. */
async function packPackages(folder: string): Promise<readonly PackedPackage[]> {
  for (const name of ['provider', 'emulator'])
    await rm(join(repository, name, 'dist'), { recursive: true, force: true });
  await execa('npm', ['run', 'build'], { cwd: repository });
  const { stdout } = await execa('npm', ['pack', '--workspaces', '--json', '--pack-destination', folder], {
    cwd: repository,
  });
  const records = JSON.parse(stdout) as { name: string; filename: string }[]; // The documented shape of npm pack --json.
  return records.map(({ name, filename }) => ({ name, tarball: join(folder, filename) }));
}
