import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PackedPackage, packPackages } from './pack-packages';

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
