import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs the whole of a script in a folder that is deleted at the end; an error is one line and exit code 1. */
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
