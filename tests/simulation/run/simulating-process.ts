import { fork } from 'node:child_process';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { observePlugin } from './observed-source';
import type { ShareResult } from './totals';

export type ScheduleKind = 'all' | 'users';

/** What a process simulates: every `step`-th seed from `first` on. */
export interface Share {
  readonly first: number;
  readonly step: number;
  /** @default without limit */
  readonly schedules?: number | undefined;
  /** @default without limit */
  readonly seconds?: number | undefined;
  /** `users`: only the steps of users, for every seed. @default scenarios, and for some seeds steps of users */
  readonly kind?: ScheduleKind | undefined;
  /** After so many failures it ends. */
  readonly mostFailures: number;
}

/**
 * Makes one file of a simulating process, which runs a quarter faster than with tsx. Returns its path.
 * @param name tells apart the files of processes that run at the same time
 */
export async function bundleSimulation(
  name = `simulate-share-${process.pid}`,
  plugins: Plugin[] = [],
): Promise<string> {
  const outfile = join(__dirname, `../../../node_modules/.cache/simulation/${name}.cjs`);
  await build({
    entryPoints: [join(__dirname, 'simulate-share.ts')],
    outfile,
    plugins: [...plugins, observePlugin],
    bundle: true,
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
  });
  return outfile;
}

/**
 * Most objects live no longer than a schedule, so a large young generation, in MB, leaves few to copy. Every function runs
 * often, so all are compiled at once and kept. Nothing reads the stacks of the many errors; `--seed` shows those of a failure.
 */
const execArgv = [
  '--max-semi-space-size=64',
  '--no-flush-bytecode',
  '--always-sparkplug',
  '--stack-trace-limit=0',
];

/** Simulates in a process of its own. */
export function runShare(program: string, share: Share): Promise<ShareResult> {
  return new Promise((resolve, reject) => {
    const child = fork(program, [JSON.stringify(share)], { stdio: 'inherit', execArgv });
    child.once('message', resolve as (result: unknown) => void);
    child.once('exit', (code) => reject(new Error(`a simulating process ended with exit code ${code}`)));
  });
}
