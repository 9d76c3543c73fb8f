import { join } from 'node:path';
import { Command } from 'commander';
import { toCount } from '../../support/run-options';
import { reportBench } from './bench-report';
import { knownFaults } from './known-faults';
import { missingRows } from './missing-rows';

interface Options {
  readonly rows?: boolean;
  readonly limit: number;
  readonly only?: string;
  readonly parallel: number;
}

const file = join(__dirname, 'known-faults.md');

const command = new Command('simulate:bugs')
  .description(
    `Puts known faults into the provider, one at a time, and reports after how many schedules the simulation finds each. The last line has the totals. The rows of ${file} are written.`,
  )
  .option('--rows', 'takes each row out of the table of the lifecycle instead')
  .option('--limit <count>', 'how many schedules to run for each fault', toCount, 10_000)
  .option('--only <text>', 'only the faults whose name contains this text')
  .option('--parallel <count>', 'faults to look for at the same time', toCount, 2)
  .parse();

void main(command.opts<Options>());

async function main({ rows, limit, only = '', parallel }: Options): Promise<void> {
  const all = rows ? missingRows : knownFaults;
  const faults = all.filter(({ name }) => name.includes(only));
  const page = rows ? undefined : { file, faults: all };
  process.exitCode = (await reportBench(faults, { limit, parallel, ...(page && { page }) })) ? 0 : 1;
}
