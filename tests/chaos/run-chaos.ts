import { Command, Option } from 'commander';
import { type DoorName, doorNames } from '../support/program-doors';
import { toCount } from '../support/run-options';
import { runScenario } from './run-scenario';
import type { ScenarioReport } from './trial';

interface Options {
  readonly seeds: number;
  readonly seed?: number;
  readonly first: number;
  readonly parallel: number;
  readonly door: DoorName;
  readonly show?: true;
}

const command = new Command('chaos')
  .description(
    'Runs random programs with faults, kills and interruptions. After each, one `up` must repair everything.',
  )
  .option('--seeds <count>', 'the number of seeds', toCount, 20)
  .option('--first <seed>', 'the first seed', toCount, 1)
  .option('--seed <seed>', 'replay one seed', toCount)
  .option('--parallel <count>', 'seeds to run at the same time', toCount, 3)
  .addOption(
    new Option('--door <door>', 'how the engine reaches the provider').choices(doorNames).default('dynamic'),
  )
  .option('--show', 'print every command and its output')
  .parse();

void main(command.opts<Options>());

async function main({ seeds, seed, first, parallel, door, show }: Options): Promise<void> {
  const queue = seed === undefined ? Array.from({ length: seeds }, (_, index) => first + index) : [seed];
  const reports: ScenarioReport[] = [];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const report = await runScenario(
        next,
        door,
        show && ((text) => void process.stdout.write(`${text}\n`)),
      );
      reports.push(report);
      process.stdout.write(`seed ${next}: ${report.violations.length === 0 ? 'passed' : 'FAILED'}\n`);
      for (const violation of report.violations) process.stdout.write(`${violation}\n`);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  const sum = (count: (report: ScenarioReport) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  const violations = sum((report) => report.violations.length);
  const counts = [
    `${sum((report) => report.faults)} faults`,
    `${sum((report) => report.kills)} kills and interruptions`,
    `${sum((report) => report.replacements)} forced replacements`,
    `${sum((report) => report.lateReads)} late reads`,
    `${sum((report) => report.foreign)} foreign objects`,
    `${sum((report) => report.oddStatuses)} odd statuses`,
    `${sum((report) => report.adoptions)} adoptions after a kill`,
    `${sum((report) => report.renames)} renames`,
    `${sum((report) => report.refreshes)} refreshes after a kill`,
  ];
  process.stdout.write(`${reports.length} seeds, ${violations} violations: ${counts.join(', ')}\n`);
  process.exitCode = violations > 0 ? 1 : 0;
}
