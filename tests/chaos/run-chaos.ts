import { Command, InvalidArgumentError } from 'commander';
import { runScenario, type ScenarioReport } from './run-scenario';

interface Options {
  readonly seeds: number;
  readonly seed?: number;
  readonly first: number;
  readonly parallel: number;
}

const command = new Command('chaos')
  .description(
    'Random programs, faults, kills and interruptions, each followed by one `up` that has to put all right.',
  )
  .option('--seeds <count>', 'how many seeds to run', toCount, 20)
  .option('--first <seed>', 'the first of them', toCount, 1)
  .option('--seed <seed>', 'replay this one only', toCount)
  .option('--parallel <count>', 'how many at a time', toCount, 3)
  .parse();

void main(command.opts<Options>());

async function main({ seeds, seed, first, parallel }: Options): Promise<void> {
  const queue = seed === undefined ? Array.from({ length: seeds }, (_, index) => first + index) : [seed];
  const reports: ScenarioReport[] = [];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const report = await runScenario(next);
      reports.push(report);
      process.stdout.write(`seed ${next}: ${report.violations.length === 0 ? 'holds' : 'VIOLATED'}\n`);
      for (const violation of report.violations) process.stdout.write(`${violation}\n`);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  const sum = (count: (report: ScenarioReport) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  const violations = sum((report) => report.violations.length);
  const faults = `${sum((report) => report.faults)} faults`;
  const kills = `${sum((report) => report.kills)} kills and interruptions`;
  const failed = `${sum((report) => report.failedRequests)} failed requests`;
  process.stdout.write(`${reports.length} seeds, ${violations} violations: ${faults}, ${kills}, ${failed}\n`);
  process.exitCode = violations > 0 ? 1 : 0;
}

function toCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}
