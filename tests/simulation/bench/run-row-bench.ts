import { Command } from 'commander';
import { toCount } from '../../support/run-options';
import { reportBench } from './bench-report';
import { withoutEachRow } from './table-rows';

interface Options {
  readonly table: string;
  readonly limit: number;
  readonly only?: string;
  readonly parallel: number;
}

const command = new Command('simulate:rows')
  .description(
    'Takes each row out of the table of the lifecycle, one at a time, and reports after how many schedules the simulation finds that. The last line has the totals.',
  )
  .option('--table <file>', 'the source of the table, below provider/src', 'lifecycle/table.ts')
  .option('--limit <count>', 'how many schedules to run for each row', toCount, 10_000)
  .option('--only <text>', 'only the rows whose step contains this text')
  .option('--parallel <count>', 'rows to look for at the same time', toCount, 2)
  .parse();

void main(command.opts<Options>());

async function main({ table, limit, only = '', parallel }: Options): Promise<void> {
  const faults = withoutEachRow(table).filter(({ name }) => name.includes(only));
  process.exitCode = (await reportBench(faults, { limit, parallel })) ? 0 : 1;
}
