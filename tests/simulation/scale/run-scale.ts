import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { times } from 'lodash';
import { Randomness, SeededRandomness } from '../seeded-randomness';
import { VirtualTime } from '../virtual-time';
import { Account, type AccountOptions } from './account';
import { drawDurations } from './draw-durations';
import { StackRun } from './stack-run';

interface Options {
  readonly stacks: string;
  readonly endpoints: string;
  readonly runners: string;
}

/** What a fleet of runners does, and on which account. */
interface Plan extends AccountOptions {
  readonly verb: 'refresh' | 'rollOut';
  readonly runners: number;
}

const unlimited = 1_000_000;
const service = { requestsPerMinute: 700, operationMs: 5_000, locks: false } as const;

/** The rows of the table. Each cause is left out in turn: what the duration falls by is the time that it takes. */
const works: readonly { readonly name: string; readonly plan: Omit<Plan, 'runners'> }[] = [
  { name: 'refresh', plan: { ...service, verb: 'refresh' } },
  { name: 'rollout, operations side by side', plan: { ...service, verb: 'rollOut' } },
  { name: 'rollout, one operation per project', plan: { ...service, verb: 'rollOut', locks: true } },
];

const command = new Command('simulate-scale')
  .description('Simulates a refresh and a rollout of many stacks, in virtual time, and draws docs/scale.svg.')
  .option('--stacks <number>', 'how many', '1000')
  .option('--endpoints <number>', 'of each stack', '100')
  .option('--runners <list>', 'stacks at a time; the first is in the table', '20,1,5,10,50')
  .parse();

const { stacks, endpoints, runners } = command.opts<Options>();
const counts = { stacks: Number(stacks), endpoints: Number(endpoints) };
const time = new VirtualTime();
const randomness = new SeededRandomness();

main().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`simulate-scale: ${error instanceof Error ? error.stack : error}\n`);
    process.exit(2);
  },
);

async function main(): Promise<void> {
  time.install();
  randomness.install();
  const [usual = 20, ...others] = runners.split(',').map(Number);
  print(
    'work',
    'duration',
    'without the rate limit',
    'if operations took no time',
    'requests',
    '429s',
    'failed',
  );
  const series = [];
  for (const { name, plan } of works) {
    const whole = await simulate({ ...plan, runners: usual });
    const free = await simulate({ ...plan, runners: usual, requestsPerMinute: 0 });
    const swift = await simulate({ ...plan, runners: usual, operationMs: 0 });
    const { requests, refused } = whole.counts;
    const refusals = `${((100 * refused) / requests).toFixed(1)} %`;
    const durations = [whole, free, swift].map(({ ms }) => describe(ms));
    print(name, ...durations, String(requests), refusals, String(whole.failed));
    const points = [{ runners: usual, ms: whole.ms }];
    for (const count of others)
      points.push({ runners: count, ms: (await simulate({ ...plan, runners: count })).ms });
    series.push({ name, points });
  }
  const file = join(__dirname, '..', '..', '..', 'docs', 'scale.svg');
  await writeFile(file, `${await drawDurations(series, counts)}\n`);
}

/** Each runner takes one stack after the other; every stack is a process of its own. */
async function simulate(plan: Plan) {
  time.reset();
  randomness.source = new Randomness(1);
  const account = new Account(plan);
  let begun = 0;
  let failed = 0;
  let isOver = false;
  const work = async () => {
    while (begun < counts.stacks) {
      begun += 1;
      const run = new StackRun(account, `p-${begun}`, plan.requestsPerMinute || unlimited);
      // A user runs a stack that failed again; here it counts.
      await run[plan.verb](counts.endpoints).catch(() => {
        failed += 1;
      });
    }
  };
  void Promise.all(times(plan.runners, work)).then(() => {
    isOver = true;
  });
  await time.passUntil(() => isOver);
  return { ms: time.elapsedMs, counts: account.counts, failed };
}

function describe(ms: number): string {
  const minutes = ms / 60_000;
  return minutes < 120 ? `${minutes.toFixed(1)} min` : `${(minutes / 60).toFixed(1)} h`;
}

function print(...cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
