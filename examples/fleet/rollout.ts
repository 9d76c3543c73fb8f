// usage: tsx rollout.ts [FLEET.yaml]
import { dirname, join, resolve } from 'node:path';
import { LocalWorkspace, Stack } from '@pulumi/pulumi/automation';
import { changeStack } from './change-stack';
import { type Fleet, readFleet } from './fleet-config';
import { nextOpening } from './restart-window';
import { RolloutReport } from './rollout-report';
import { lockRollout } from './stack-lock';

/**
 * Ctrl-C also reaches the CLI's processes: the first one cancels their updates, a second one ends them. Without this listener,
 * the first one would end this process, which would send them the second signal: they would stop without saving their state.
 */
const interruption = new AbortController();
process.on('SIGINT', () => interruption.abort());

async function main(file: string): Promise<void> {
  const fleet = readFleet(file);
  lockRollout(join(dirname(file), 'rollout.lock'));
  const workspace = await LocalWorkspace.create({ workDir: dirname(file) });
  const report = new RolloutReport(join(dirname(file), 'rollout.json'), fleet);
  const unfinished = report.stacksWith('pending');
  console.log(
    `${fleet.waves.flat().length - unfinished.length} stacks are finished, ${unfinished.length} are left.`,
  );
  // All of them first: a stack that does not exist stops the rollout before anything is changed.
  const stacks = new Map<string, Stack>();
  await inParallel(unfinished, fleet.concurrency, async (name) => {
    stacks.set(name, await Stack.select(name, workspace));
  });
  console.log(report.row());
  for (const wave of fleet.waves) {
    const left = wave.flatMap((name) => stacks.get(name) ?? []);
    await inParallel(left, fleet.concurrency, async (stack) => {
      if (!isStopped(report) && !interruption.signal.aborted) await changeAndRecord(stack, fleet, report);
    });
  }
  console.log(`\n${report}\n\n${conclude(report, fleet)}`);
  const isHeld = report.stacksWith('held').length > 0;
  const hasFailed =
    report.stacksWith('failed').length > 0 || (!isHeld && report.stacksWith('pending').length > 0);
  process.exitCode = hasFailed ? 1 : isHeld ? 2 : 0;
}

/** Runs the work for each item, for at most so many at a time. */
async function inParallel<Item>(items: readonly Item[], limit: number, work: (item: Item) => Promise<void>) {
  const queue = [...items].values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}

/** After a stack that failed or was held, those under way finish, and no other one starts. */
function isStopped(report: RolloutReport): boolean {
  return report.stacksWith('failed').length + report.stacksWith('held').length > 0;
}

async function changeAndRecord(stack: Stack, fleet: Fleet, report: RolloutReport): Promise<void> {
  const startedAt = performance.now();
  report.record(stack.name, { outcome: 'running' });
  console.log(report.row(stack.name));
  const result = await changeStack(stack, fleet, interruption.signal).catch((error: Error) => ({
    outcome: 'failed' as const,
    error: error.message,
  }));
  report.record(stack.name, { ...result, seconds: (performance.now() - startedAt) / 1_000 });
  console.log(report.row(stack.name));
}

function conclude(report: RolloutReport, { restartWindow }: Fleet): string {
  if (interruption.signal.aborted && report.stacksWith('pending').length > 0)
    return 'Interrupted. The next run resumes with the stacks that are not finished.';
  if (report.stacksWith('failed').length > 0)
    return 'Stopped at a failure. The next run resumes with the stacks that are not finished.';
  if (report.stacksWith('held').length === 0) return 'Every stack has the target.';
  if (!restartWindow) return 'Stopped: computes would restart, and fleet.yaml has no restartWindow.';
  const opening = nextOpening(restartWindow, new Date());
  const when = opening
    ? `opens at ${opening.toISOString()}. Run the rollout again then.`
    : 'does not open again.';
  return `Stopped: computes would restart outside the window, which ${when}`;
}

main(resolve(process.argv[2] ?? 'fleet.yaml')).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
