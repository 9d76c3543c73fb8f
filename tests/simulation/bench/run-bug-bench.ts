import { join } from 'node:path';
import { Command } from 'commander';
import { toCount } from '../../support/run-options';
import { reportBench } from './bench-report';
import { knownFaults } from './known-faults';

interface Options {
  readonly limit: number;
  readonly only?: string;
  readonly parallel: number;
}

const file = join(__dirname, 'known-faults.md');
const head = [
  '# Known faults',
  '',
  '`npm run simulate:bugs` has written this page: after how many schedules, from seed 1 on, the simulation finds each fault.',
];

const command = new Command('simulate:bugs')
  .description(
    `Puts known faults into the provider, one at a time, and reports after how many schedules the simulation finds each. The last line has the totals. The rows of ${file} are written.`,
  )
  .option('--limit <count>', 'how many schedules to run for each fault', toCount, 100_000)
  .option('--only <text>', 'only the faults whose name contains this text')
  .option('--parallel <count>', 'faults to look for at the same time', toCount, 2)
  .parse();

void main(command.opts<Options>());

async function main({ limit, only = '', parallel }: Options): Promise<void> {
  const faults = knownFaults.filter(({ name }) => name.includes(only));
  const page = { file, head, faults: knownFaults };
  process.exitCode = (await reportBench(faults, { limit, parallel, page })) ? 0 : 1;
}
