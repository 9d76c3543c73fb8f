import { readFileSync, writeFileSync } from 'node:fs';
import { type BenchResult, findFault } from './bug-bench';
import type { KnownFault } from './patched-source';

export interface BenchOptions {
  /** How many schedules to run for each fault. */
  readonly limit: number;
  /** How many faults to look for at the same time. */
  readonly parallel: number;
  /** The page with a row for each of `faults`; undefined: none. Rows that do not run stay as they are. */
  readonly page?: BenchPage;
}

interface BenchPage {
  readonly file: string;
  readonly faults: readonly KnownFault[];
}

const pageHead = [
  '# Known faults',
  '',
  '`npm run simulate:bugs` has written this page: after how many schedules, from seed 1 on, the simulation finds each fault.',
  '',
];
const tableHead = ['| fault | file | schedules | broken rule |', '| --- | --- | ---: | --- |'];

/** Looks for each fault, and prints a row for each and the total. Returns whether all were found. */
export async function reportBench(
  faults: readonly KnownFault[],
  { limit, parallel, page }: BenchOptions,
): Promise<boolean> {
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
  print(`\n${describeTotal(results)}`);
  if (page) writePage(page, results);
  return results.length > 0 && results.every(({ violation }) => violation);
}

function writePage({ file, faults }: BenchPage, results: readonly BenchResult[]): void {
  const before = readFileSync(file, 'utf8').split('\n');
  const rows = faults.flatMap((fault) => {
    const result = results.find((each) => each.fault === fault);
    return result ? [toRow(result)] : before.filter((line) => line.startsWith(`| ${fault.name} |`));
  });
  writeFileSync(file, [...pageHead, ...tableHead, ...rows, ''].join('\n'));
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

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
