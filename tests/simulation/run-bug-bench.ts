import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { toCount } from '../support/run-options';
import { type BenchResult, findFault } from './bug-bench';
import { knownFaults } from './known-faults';

interface Options {
  readonly limit: number;
  readonly only?: string;
  readonly parallel: number;
}

const resultsFile = join(__dirname, 'known-faults.md');
const tableHead = ['| fault | file | schedules | broken rule |', '| --- | --- | ---: | --- |'];

const command = new Command('simulate:bugs')
  .description(
    `Puts known faults into the provider, one at a time, and reports after how many schedules the simulation finds each. The last line has the totals. A run of all faults writes ${resultsFile}.`,
  )
  .option('--limit <count>', 'how many schedules to run for each fault', toCount, 100_000)
  .option('--only <text>', 'only the faults whose name contains this text')
  .option('--parallel <count>', 'faults to look for at the same time', toCount, 2)
  .parse();

void main(command.opts<Options>());

async function main({ limit, only = '', parallel }: Options): Promise<void> {
  const faults = knownFaults.filter(({ name }) => name.includes(only));
  const waiting = [...faults];
  const results: BenchResult[] = [];
  for (const line of tableHead) print(line);
  const work = async () => {
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
      const result = await findFault(fault, limit);
      results.push(result);
      print(toRow(result));
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  results.sort((left, right) => faults.indexOf(left.fault) - faults.indexOf(right.fault));
  const total = describeTotal(results);
  print(`\n${total}`);
  if (faults.length === knownFaults.length) writeFileSync(resultsFile, toPage(results, total));
  process.exitCode = results.length > 0 && results.every(({ violation }) => violation) ? 0 : 1;
}

function toRow({ fault: { name, file }, schedules, violation }: BenchResult): string {
  if (!violation) return `| ${name} | \`${file}\` | not in ${schedules} | |`;
  return `| ${name} | \`${file}\` | ${schedules} | ${violation.rule} |`;
}

function describeTotal(results: readonly BenchResult[]): string {
  const found = results.filter(({ violation }) => violation);
  const most = Math.max(0, ...found.map(({ schedules }) => schedules));
  return `${found.length} of ${results.length} faults found, each within ${most} schedules.`;
}

function toPage(results: readonly BenchResult[], total: string): string {
  const lines = [
    '# Known faults',
    '',
    '`npm run simulate:bugs` has written this page: after how many schedules, from seed 1 on, the simulation finds each fault.',
    '',
    ...tableHead,
    ...results.map(toRow),
    '',
    total,
    '',
  ];
  return lines.join('\n');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
