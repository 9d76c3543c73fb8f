import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Table from 'cli-table3';
import { Command } from 'commander';
import { drawChart, measureSeries } from './chart';
import type { Figure } from './figure';
import { measureDetectionLag } from './figures/detection-lag';
import { measureEngineCost } from './figures/engine-cost';
import {
  measureLockedProject,
  measureOneCreate,
  measureRequestRate,
  measureSideBySide,
} from './figures/request-counts';

interface Options {
  readonly quick?: true;
  readonly only?: string;
  readonly json: string;
}

const repository = join(__dirname, '..');

/** What is measured, in the order in which it is. With `--quick` smaller numbers, whose bounds mean little. */
const groups: Readonly<Record<string, (isQuick: boolean) => Promise<Figure[]>>> = {
  lag: (isQuick) => measureDetectionLag(isQuick ? [300, 1_000] : [300, 1_000, 3_000, 10_000, 30_000]),
  create: () => measureOneCreate(),
  'side-by-side': (isQuick) => measureSideBySide(isQuick ? 20 : 200),
  locked: (isQuick) => measureLockedProject(isQuick ? 4 : 20),
  engine: (isQuick) => measureEngineCost(isQuick ? 50 : 1_000, isQuick ? 1 : 2),
  rate: (isQuick) => measureRequestRate(isQuick ? 100 : 1_000),
};

const command = new Command('bench')
  .description('Measures the provider against the baselines, all in one run, on an emulator on this machine.')
  .option('--quick', 'smaller numbers, to see that it works')
  .option('--only <group>', `one group: ${[...Object.keys(groups), 'charts'].join(', ')}`)
  .option('--json <file>', 'where the numbers go', join('bench', 'results.json'))
  .parse();

void main(command.opts<Options>());

async function main({ quick, only, json }: Options): Promise<void> {
  const isQuick = quick === true;
  const figures: Figure[] = [];
  for (const [name, measureGroup] of Object.entries(groups)) {
    if (only !== undefined && only !== name) continue;
    process.stderr.write(`bench: ${name}\n`);
    figures.push(...(await measureGroup(isQuick)));
  }
  const series = only === undefined || only === 'charts' ? await makeCharts(isQuick) : [];
  const table = new Table({
    head: ['figure', 'must reach', 'measured', 'baselines', ''],
    style: { head: [] },
  });
  for (const { name, bound, measured, baselines, isMet } of figures)
    table.push([name, bound, measured, baselines, isMet ? 'met' : 'NOT MET']);
  process.stdout.write(`${table.toString()}\n`);
  process.stdout.write(
    'a: each operation every 100 ms, a locked project every second. b: each operation every 5 s. c: a provider that does nothing.\n',
  );
  await writeFile(
    join(repository, json),
    `${JSON.stringify({ node: process.version, figures, series }, null, 2)}\n`,
  );
  process.exitCode = !isQuick && figures.some(({ isMet }) => !isMet) ? 1 : 0;
}

async function makeCharts(isQuick: boolean) {
  process.stderr.write('bench: charts\n');
  const series = await measureSeries(isQuick ? [1, 10] : [1, 10, 100, 1_000]);
  const folder = join(repository, 'docs');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'bench-requests.svg'), `${await drawChart(series, 'requests')}\n`);
  await writeFile(join(folder, 'bench-makespan.svg'), `${await drawChart(series, 'ms')}\n`);
  return series;
}
