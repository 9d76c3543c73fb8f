import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Table from 'cli-table3';
import { Command, Option } from 'commander';
import { drawChart, measureSeries } from './chart';
import type { Figure } from './figure';
import { measureBusyBranch } from './figures/busy-branch';
import { measureCutOffRuns } from './figures/cut-off-runs';
import { measureDetectionLag } from './figures/detection-lag';
import { measureEngineCost } from './figures/engine-cost';
import { measureFleet } from './figures/fleet';
import { measureLockedProject, measureRequestRate, measureSideBySide } from './figures/many-creates';
import { measureOneCreate } from './figures/one-create';
import { measurePostgres } from './figures/postgres-endpoints';
import { measureStackLimit } from './figures/stack-limit';
import { describeResults, legend } from './report';

interface Options {
  readonly quick?: true;
  readonly only?: string;
  readonly json?: string;
}

const repository = join(__dirname, '..');

/** The measurements, in order. `--quick` makes the numbers smaller, so that their bounds mean nothing. */
const groups: Readonly<Record<string, (isQuick: boolean) => Promise<Figure[]>>> = {
  lag: (isQuick) => measureDetectionLag(isQuick ? [300, 1_000] : [300, 1_000, 3_000, 10_000, 30_000]),
  create: () => measureOneCreate(),
  'side-by-side': (isQuick) => measureSideBySide(isQuick ? 20 : 200),
  locked: (isQuick) => measureLockedProject(isQuick ? 4 : 20),
  engine: (isQuick) => measureEngineCost(isQuick ? 50 : 1_000),
  'stack-limit': (isQuick) => measureStackLimit(isQuick ? [10] : [1_000, 3_000, 10_000]),
  'cut-off': (isQuick) => measureCutOffRuns(isQuick ? 1 : 5),
  postgres: (isQuick) => measurePostgres(isQuick ? 500 : 5_000),
  'busy-branch': (isQuick) => measureBusyBranch(isQuick ? 1 : 5),
  fleet: (isQuick) => measureFleet(isQuick ? [1, 2] : [1, 2, 5, 10], isQuick ? 10 : 100),
  rate: (isQuick) => measureRequestRate(isQuick ? 100 : 1_000),
};

const command = new Command('bench')
  .description('Measures the provider against the baselines, all in one run, on an emulator on this machine.')
  .option(
    '--quick',
    'smaller numbers, to see that it works: nothing is judged, no file of the repository changes',
  )
  .addOption(new Option('--only <group>', 'one group').choices([...Object.keys(groups), 'charts']))
  .option('--json <file>', 'where the numbers go (default: bench/results.json after a whole run)')
  .parse();

main(command.opts<Options>()).catch((error: unknown) => {
  // Not the whole error: the HTTP client's errors carry whole requests.
  process.stderr.write(`bench: ${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 2;
});

async function main(options: Options): Promise<void> {
  const { only } = options;
  const isQuick = options.quick === true;
  const startedAt = new Date();
  const figures: Figure[] = [];
  for (const [name, measureGroup] of Object.entries(groups)) {
    if (only !== undefined && only !== name) continue;
    say(`${name}, load ${loadavg()[0]?.toFixed(1)}`);
    figures.push(...(await measureGroup(isQuick)));
  }
  const series = only === undefined || only === 'charts' ? await makeCharts(isQuick) : [];
  if (figures.length > 0) printTable(figures, isQuick);
  if (!isQuick && only === undefined) {
    const machine = `on ${cpus().length} processors with Node.js ${process.version}`;
    await writeFile(join(repository, 'docs', 'benchmarks.md'), describeResults(figures, machine));
  }
  const json = jsonFile(options);
  if (json) {
    const machine = { node: process.version, cpus: cpus().length, loadAverage: loadavg() };
    const results = { startedAt, endedAt: new Date(), isQuick, machine, figures, series };
    await writeFile(json, `${JSON.stringify(results, null, 2)}\n`);
    say(`the numbers are in ${json}`);
  }
  process.exitCode = !isQuick && figures.some(({ isMet }) => isMet === false) ? 1 : 0;
}

/** Partial and quick runs must not overwrite the results. */
function jsonFile({ quick, only, json }: Options): string | undefined {
  if (json !== undefined) return resolve(json);
  return quick || only !== undefined ? undefined : join(repository, 'bench', 'results.json');
}

function printTable(figures: readonly Figure[], isQuick: boolean): void {
  const table = new Table({
    head: ['figure', 'target', 'measured', 'baselines', ''],
    style: { head: [], border: [] },
  });
  for (const { name, bound, measured, baselines, isMet } of figures)
    table.push([name, bound, measured, baselines, verdictOf(isMet, isQuick)]);
  process.stdout.write(`${table.toString()}\n`);
  process.stdout.write(`${legend}\n`);
}

function verdictOf(isMet: boolean | undefined, isQuick: boolean): string {
  if (isMet === undefined) return '';
  if (isQuick) return 'not judged';
  return isMet ? 'met' : 'NOT MET';
}

async function makeCharts(isQuick: boolean) {
  say(`charts, load ${loadavg()[0]?.toFixed(1)}`);
  const series = await measureSeries(isQuick ? [1, 10] : [1, 10, 100, 1_000]);
  const folder = isQuick ? await mkdtemp(join(tmpdir(), 'bench-charts-')) : join(repository, 'docs');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'bench-requests.svg'), `${await drawChart(series, 'requests')}\n`);
  await writeFile(join(folder, 'bench-makespan.svg'), `${await drawChart(series, 'ms')}\n`);
  say(`the charts are in ${folder}`);
  return series;
}

function say(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}
