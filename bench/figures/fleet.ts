import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { sum, sumBy } from 'lodash';
import type { Emulator } from 'postgres-control-emulator';
import type { Figure } from '../figure';
import type { FleetMember, LimiterName } from '../fleet-member';
import { expectReplicas, prepareProject, withEmulator } from '../metered-emulator';
import { arrivalsAt } from '../request-meter';

const perMinute = 700;
const minuteMs = 60_000;
/** As many as `pulumi up` runs at a time on two cores. */
const atATime = 8;
const service = { operationMs: 5_000, locks: 'endpoint', requestsPerMinute: perMinute } as const;

interface FleetRun {
  /** From the start to the end of the last process. */
  readonly totalMs: number;
  /** How long each process took. */
  readonly tookMs: readonly number[];
  readonly refusedShare: number;
  /** When each request arrived, from the start. Milliseconds. */
  readonly arrivals: readonly number[];
}

/**
 * So many processes on one account: the total time over the ideal, the share of the requests that are refused, and whether
 * all get the same. With this provider's limiter and without one, side by side.
 */
export async function measureFleet(sizes: readonly number[], count: number): Promise<Figure[]> {
  const lone = await runFleet(1, count, 'ours');
  const figures: Figure[] = [];
  for (const size of sizes) {
    const [ours, none] = await Promise.all([runFleet(size, count, 'ours'), runFleet(size, count, 'none')]);
    const idealMs = idealOf(lone, size);
    const compare = (measureRun: (run: FleetRun) => number) => ({
      value: measureRun(ours),
      baselines: { n: measureRun(none) },
    });
    const what = `${size} ${size === 1 ? 'process' : 'processes'} of ${count} creates`;
    figures.push(
      { name: `${what}, total over the ideal`, ...compare(({ totalMs }) => totalMs / idealMs), atMost: 1.15 },
      { name: `${what}, 429s`, ...compare((run) => run.refusedShare * 100), atMost: 2, unit: ' %' },
      { name: `${what}, fairness (Jain's index)`, ...compare(fairnessOf), atLeast: 0.9 },
    );
  }
  return figures;
}

/** Each process makes its endpoints in a project of its own. All start at once. */
function runFleet(size: number, count: number, limiter: LimiterName): Promise<FleetRun> {
  return withEmulator(service, async (emulator) => {
    const members = Array.from({ length: size }, () => startMember(emulator, { count, atATime, limiter }));
    const processes = await Promise.all(members);
    const startedAt = Date.now();
    const tookMs = await Promise.all(processes.map((run) => run()));
    expectReplicas(emulator, size * count);
    const requests = emulator.requests();
    return {
      totalMs: Math.max(...tookMs),
      tookMs,
      refusedShare: requests.filter(({ status }) => status === 429).length / requests.length,
      arrivals: arrivalsAt(emulator).map(({ atMs }) => atMs - startedAt),
    };
  });
}

/** Resolves when the process is ready, with a function that lets it create and returns how long that took. */
async function startMember(emulator: Emulator, work: Pick<FleetMember, 'count' | 'atATime' | 'limiter'>) {
  const { id, branchId } = prepareProject(emulator);
  const { url, apiKey } = emulator;
  const member: FleetMember = { ...work, url, apiKey, projectId: id, branchId };
  const child = fork(join(__dirname, '..', 'fleet-member.ts'), [JSON.stringify(member)]);
  await once(child, 'message');
  return async (): Promise<number> => {
    child.send('start');
    const [result] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
    if (typeof result?.ms !== 'number') throw new Error(`a process of the fleet ended with ${result}`);
    return result.ms;
  };
}

/** The requests of so many lone runs, each as early as the limit allows: no client that knows all the work is faster. */
function idealOf(lone: FleetRun, size: number): number {
  const wanted = lone.arrivals.flatMap((at) => Array<number>(size).fill(at));
  const sent: number[] = [];
  let delayMs = 0;
  for (const [index, at] of wanted.entries()) {
    sent[index] = Math.max(at, (sent[index - perMinute] ?? Number.NEGATIVE_INFINITY) + minuteMs);
    delayMs = Math.max(delayMs, sent[index] - at);
  }
  return lone.totalMs + delayMs;
}

/** Jain's index of the speeds: 1 if all are as fast, 1/N if one has everything. */
function fairnessOf({ tookMs }: FleetRun): number {
  const speeds = tookMs.map((ms) => 1 / ms);
  return sum(speeds) ** 2 / (speeds.length * sumBy(speeds, (speed) => speed ** 2));
}
