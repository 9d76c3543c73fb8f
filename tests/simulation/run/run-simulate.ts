import { Command } from 'commander';
import { toCount, toSeconds } from '../../support/run-options';
import { describeViolation, type Violation } from '../rules/rules';
import { drawScenario, scenarioDrawing } from '../scenario/draw-scenario';
import type { Drawing } from '../scenario/drawing';
import type { Scenario } from '../scenario/scenario';
import { shrink } from '../scenario/shrink';
import { userDrawing } from '../user-steps/draw-user-schedule';
import type { UserSchedule } from '../user-steps/user-schedule';
import { type Outcome, Simulator } from './simulate';
import { simulateInParallel } from './simulate-in-parallel';
import { findUserDrawing, simulateSeed } from './simulate-seeds';
import type { ScheduleKind } from './simulating-process';

interface Options {
  readonly schedules?: number;
  readonly for: number;
  readonly first: number;
  readonly seed?: number;
  readonly shrink?: boolean;
  readonly parallel: number;
  readonly floors?: boolean;
  readonly coverage?: boolean;
  readonly users?: boolean;
}

const command = new Command('simulate')
  .description(
    'Runs the provider through random schedules of faults, kills and other people, in virtual time. The last line has the totals.',
  )
  .option('--for <duration>', 'how long to run, such as 60s or 10m', toSeconds, 60)
  .option('--schedules <count>', 'how many schedules to run, instead of --for', toCount)
  .option(
    '--first <seed>',
    'the first seed; a fresh one by default',
    toCount,
    1 + Math.floor(Math.random() * 2 ** 31),
  )
  .option('--seed <seed>', 'replay one seed and print its story', toCount)
  .option('--shrink', 'with --seed: print the smallest schedule that breaks the same rule')
  .option('--users', 'only the steps of users, for every seed')
  .option('--parallel <count>', 'processes to run at the same time', toCount, 2)
  .option('--coverage', 'print how often each rule was applied, each excuse used, and each row decided')
  .option('--floors', 'fail where rules, rows of the table or branches were reached too seldom')
  .parse();

void main(command.opts<Options>());

async function main(options: Options): Promise<void> {
  if (options.seed !== undefined) {
    await replay(options.seed, options);
    return;
  }
  const startedAt = Date.now();
  const kind = options.users ? 'users' : 'all';
  const totals = await simulateInParallel({ ...options, kind });
  const seconds = (Date.now() - startedAt) / 1_000;
  for (const { seed, violations } of totals.failures)
    print(`seed ${seed}: ${violations.map(describeViolation).join('\n  ')}`);
  const [first] = totals.failures;
  if (first) await tellSmallest(first.seed, first.violations, kind);
  const { coverage } = totals;
  if (options.coverage) {
    for (const [what, times] of [...coverage.counts].sort()) print(`${times} x ${what}`);
    for (const line of totals.describeRules()) print(line);
  }
  print(coverage.describe());
  const below = options.floors ? totals.findBelow(kind) : [];
  for (const line of below) print(line);
  print(totals.describe(seconds));
  process.exitCode = totals.failures.length + below.length > 0 ? 1 : 0;
}

/** Prints what happens in the schedules of a seed. */
async function replay(seed: number, { shrink: isShrunk, users }: Options): Promise<void> {
  const options = { kind: users ? 'users' : 'all', isTold: true } as const;
  const found = await simulated((simulator) => simulateSeed(simulator, seed, options));
  for (const line of found.story) print(line);
  print(`seed ${seed}: ${found.violations.length} violations`);
  if (isShrunk) await tellSmallest(seed, found.violations, options.kind);
  process.exitCode = found.violations.length > 0 ? 1 : 0;
}

/** Prints the smallest schedule that breaks the same rule, with its data. */
async function tellSmallest(seed: number, [first]: readonly Violation[], kind: ScheduleKind): Promise<void> {
  if (!first) return;
  await simulated(async (simulator) => {
    const run = (scenario: Scenario, isTold = false) => simulator.run(scenario, isTold);
    const runUser = (schedule: UserSchedule, isTold = false) => simulator.runUser(schedule, isTold);
    const { violations } = kind === 'all' ? await run(drawScenario(seed).value) : { violations: [] };
    await (violations.length > 0
      ? tell(scenarioDrawing, seed, first, run)
      : tell((kind === 'all' && findUserDrawing(seed)) || userDrawing, seed, first, runUser));
  });
}

async function tell<Data>(
  drawing: Drawing<Data>,
  seed: number,
  { rule }: Violation,
  run: (data: Data, isTold?: boolean) => Promise<Outcome>,
): Promise<void> {
  const smallest = await shrink(drawing, drawing.draw(seed), rule, run);
  const { story } = await run(smallest, true);
  print(`The smallest schedule that fails like seed ${seed}:`);
  for (const line of story) print(line);
  print(`Its data, for a regression test:\n${JSON.stringify(smallest)}`);
}

async function simulated<Result>(work: (simulator: Simulator) => Promise<Result>): Promise<Result> {
  const simulator = new Simulator();
  simulator.install();
  try {
    return await work(simulator);
  } finally {
    simulator.uninstall();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
