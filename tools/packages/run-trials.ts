import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs a script's work in a temporary folder. An error prints one line and sets exit code 1. */
export async function runTrials(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'postgres-compute-trials-'));
  try {
    await work(folder);
  } catch (error) {
    process.exitCode = 1;
    say(error instanceof Error ? error.message : String(error));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
