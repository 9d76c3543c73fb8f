import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { countedEvents } from '../simulation/run/journal';
import { repository } from '../support/documents';
import { type DoorName, doorNames } from '../support/program-doors';
import { toCount } from '../support/run-options';
import { neverReplayed } from './real-scenario';
import { type RealOutcome, runScenario } from './run-scenario';

interface Options {
  readonly seeds: number;
  readonly seed?: number;
  readonly first: number;
  readonly parallel: number;
  readonly door: DoorName;
  readonly show?: true;
}

const command = new Command('chaos')
  .description(
    'Replays random schedules of the simulation with the real CLI, real processes and the emulator over HTTP.',
  )
  .option('--seeds <count>', 'the number of seeds', toCount, 20)
  .option('--first <seed>', 'the first seed', toCount, 1)
  .option('--seed <seed>', 'replay one seed', toCount)
  .option('--parallel <count>', 'seeds to run at the same time', toCount, 3)
  .addOption(
    new Option('--door <door>', 'how the engine reaches the provider').choices(doorNames).default('dynamic'),
  )
  .option('--show', 'print every command, its output and every request')
  .parse();

/** Where the stories of the seeds that failed are. */
const reports = join(repository, '.reports', 'chaos');

void main(command.opts<Options>());

async function main({ seeds, seed, first, parallel, door, show }: Options): Promise<void> {
  const queue = seed === undefined ? Array.from({ length: seeds }, (_, index) => first + index) : [seed];
  const outcomes: RealOutcome[] = [];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const outcome = await runScenario(next, door);
      outcomes.push(outcome);
      await report(outcome, door, show === true);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  print(describeTotals(outcomes));
  process.exitCode = outcomes.some(({ violations }) => violations.length > 0) ? 1 : 0;
}

/** A real run is never the same twice, so the story of a failure is kept. */
async function report({ seed, violations, story }: RealOutcome, door: DoorName, isShown: boolean) {
  if (isShown) print(story.join('\n'));
  if (violations.length === 0) return print(`seed ${seed}: passed`);
  const file = join(reports, `${door}-${seed}.txt`);
  await mkdir(reports, { recursive: true });
  await writeFile(file, story.join('\n'));
  print(`seed ${seed}: FAILED, its story is in ${file}\n  ${violations.join('\n  ')}`);
}

function describeTotals(outcomes: readonly RealOutcome[]): string {
  const sum = (count: (outcome: RealOutcome) => number) =>
    outcomes.reduce((total, outcome) => total + count(outcome), 0);
  const failed = outcomes.filter(({ violations }) => violations.length > 0).length;
  const counted = countedEvents.flatMap((event) => {
    const total = sum(({ counts }) => counts.get(event) ?? 0);
    return total > 0 ? [`${total} ${event}`] : [];
  });
  const changed = [...new Set(outcomes.flatMap((outcome) => outcome.changed))].map(
    (what) => `${sum((outcome) => Number(outcome.changed.includes(what)))} seeds: ${what}`,
  );
  return [
    `${outcomes.length} seeds, ${failed} failed: ${counted.join(', ')}`,
    ...changed,
    `never replayed: ${neverReplayed}`,
  ].join('\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
