import { writeFileSync } from 'node:fs';
import { type BenchResult, findFault } from './bug-bench';
import type { KnownFault } from './patched-source';

export interface BenchOptions {
  /** How many schedules to run for each fault. */
  readonly limit: number;
  /** How many faults to look for at the same time. */
  readonly parallel: number;
  /** Where to write the table, with this text above it; undefined: nowhere. */
  readonly page?: { readonly file: string; readonly head: readonly string[] } | undefined;
}

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
  const total = describeTotal(results);
  print(`\n${total}`);
  if (page)
    writeFileSync(
      page.file,
      [...page.head, '', ...tableHead, ...results.map(toRow), '', total, ''].join('\n'),
    );
  return results.length > 0 && results.every(({ violation }) => violation);
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
