import { Command } from 'commander';
import { type BenchResult, findFault } from './bug-bench';
import { knownFaults } from './known-faults';
import { describeViolation } from './rules';
import { toCount } from './run-options';

interface Options {
  readonly limit: number;
  readonly only?: string;
  readonly parallel: number;
}

const command = new Command('simulate:bugs')
  .description(
    'Puts known faults into the provider, one at a time, and reports after how many schedules the simulation finds each. The last line has the totals.',
  )
  .option('--limit <count>', 'how many schedules to run for each fault', toCount, 100_000)
  .option('--only <text>', 'only the faults whose name contains this text')
  .option('--parallel <count>', 'faults to look for at the same time', toCount, 2)
  .parse();

void main(command.opts<Options>());

async function main({ limit, only = '', parallel }: Options): Promise<void> {
  const startedAt = Date.now();
  const waiting = knownFaults.filter(({ name }) => name.includes(only));
  const results: BenchResult[] = [];
  print('| fault | file | schedules | rule |');
  print('| --- | --- | ---: | --- |');
  const work = async () => {
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
      const result = await findFault(fault, limit);
      results.push(result);
      print(describeResult(result));
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  const found = results.filter(({ violation }) => violation);
  const most = Math.max(0, ...found.map(({ schedules }) => schedules));
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  print(
    `\n${found.length} of ${results.length} faults found, each after at most ${most} schedules; ${seconds} s`,
  );
  process.exitCode = results.length > 0 && found.length === results.length ? 0 : 1;
}

/** A row of the table. */
function describeResult({ fault: { name, file }, schedules, violation }: BenchResult): string {
  if (!violation) return `| ${name} | ${file} | none of ${schedules} | not found |`;
  if (process.env.DETAIL) process.stderr.write(`   ${describeViolation(violation).slice(0, 300)}\n`);
  return `| ${name} | ${file} | ${schedules} | ${violation.rule} |`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
