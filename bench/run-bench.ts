import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { findPulumiCli } from '../tools/pulumi-cli/find';
import { isMet } from './figure';
import { docs, groups } from './groups';
import { describeMeasured, describeResults, type Measured, type Results } from './report';

interface Options {
  readonly quick?: boolean;
  readonly only?: readonly string[];
}

const resultsFile = join(__dirname, 'results.json');

const command = new Command('bench')
  .description('Measures the provider against the baselines, all in one run, on an emulator on this machine.')
  .option(
    '--quick',
    'smaller numbers, to see that it works: nothing is judged, no file of the repository changes',
  )
  .addOption(
    new Option('--only <group...>', 'these groups; the others keep their results').choices(
      Object.keys(groups),
    ),
  )
  .parse();

main(command.opts<Options>()).catch((error: unknown) => {
  // Not the whole error: the HTTP client's errors carry whole requests.
  process.stderr.write(`bench: ${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 2;
});

async function main({ quick: isQuick = false, only }: Options): Promise<void> {
  const measuredWith = {
    commit: readCommit(),
    date: new Date().toISOString().slice(0, 10),
    with: listTools(),
  };
  for (const [name, { title, measure }] of Object.entries(groups)) {
    if (only && !only.includes(name)) continue;
    const load = loadavg()[0] ?? 0;
    process.stderr.write(`bench: ${name}, load ${load.toFixed(1)}\n`);
    const measured: Measured = { ...measuredWith, load, figures: await measure(isQuick) };
    process.stdout.write(`## ${title}\n\n${describeMeasured(measured)}\n`);
    if (isQuick) continue;
    await keep(name, measured);
    if (!measured.figures.every(isMet)) process.exitCode = 1;
  }
}

/** Each group is kept as soon as it is measured. */
async function keep(name: string, measured: Measured): Promise<void> {
  const before = await readFile(resultsFile, 'utf8').catch(() => '{}');
  // Written by an earlier run.
  const results: Results = { ...(JSON.parse(before) as Results), [name]: measured };
  await writeFile(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(join(docs, 'benchmarks.md'), describeResults(results));
}

function readCommit(): string {
  return execFileSync('git', ['describe', '--always', '--dirty'], {
    cwd: __dirname,
    encoding: 'utf8',
  }).trim();
}

function listTools(): string {
  const cli = findPulumiCli();
  const version = cli ? execFileSync(cli.command, ['version'], { encoding: 'utf8' }).trim() : 'none';
  return `Pulumi CLI ${version}, Node.js ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}`;
}
