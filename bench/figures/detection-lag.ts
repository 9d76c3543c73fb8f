import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Emulator } from 'postgres-control-emulator';
import { type ClientName, clientOf } from '../compared-clients';
import { atMost, type Figure, quantile } from '../figure';
import { prepareProject, withEmulator } from '../metered-emulator';
import { drawTime, seededRandom } from '../operation-times';
import { arrivalsAt } from '../request-meter';

const samplesPerDuration = 20;
const spread = 0.2;
const seed = 1;
/** The samples begin within so long, not all at one moment: their looks would come in bursts. Milliseconds. */
const startsWithinMs = 3_000;
/** The larger of these is allowed: milliseconds, and the share of the mean of the operations. */
const allowedMs = 250;
const allowedShare = 0.1;
/** The delay of a timer that is due at once, in the histogram of a process that does nothing. Milliseconds. */
const resolutionMs = 10;

interface Sample {
  readonly operationMs: number;
  readonly lagMs: number;
}

/**
 * How late a client notices that an operation has ended. Every sample has an emulator and a client of its own, so
 * nothing is known of earlier operations. One kind of client runs after the other: they would delay each other.
 */
export async function measureDetectionLag(durationsMs: readonly number[]): Promise<Figure[]> {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  // What is loaded and compiled on first use delays no sample.
  await sampleLag('ours', 100, async () => {});
  delay.enable();
  const ours = await sampleAll('ours', durationsMs);
  delay.disable();
  const naive = await sampleAll('a', durationsMs);
  const suggested = await sampleAll('b', durationsMs);
  // How late the harness itself is at such moments: no lag is known more exactly.
  const harnessMs = Math.max(0, delay.percentile(99) / 1e6 - resolutionMs);
  return durationsMs.map((durationMs, index) => {
    return atMost({
      name: `detection lag, p95, operations of ${durationMs / 1000} s +-20 %`,
      value: p95(ours[index] ?? []),
      limit: Math.max(allowedMs, durationMs * allowedShare),
      unit: ' ms',
      baselines: { a: p95(naive[index] ?? []), b: p95(suggested[index] ?? []) },
      details: { harnessMs },
    });
  });
}

function p95(samples: readonly Sample[]): number {
  return quantile(
    samples.map(({ lagMs }) => lagMs),
    0.95,
  );
}

/** The samples of each duration. Seeded: the same times in each run and for each client. */
function sampleAll(client: ClientName, durationsMs: readonly number[]): Promise<Sample[][]> {
  const random = seededRandom(seed);
  const start = new Start(durationsMs.length * samplesPerDuration);
  const samples = durationsMs.map((meanMs) =>
    Array.from({ length: samplesPerDuration }, () => {
      const operationMs = drawTime({ meanMs, spread }, random);
      const delayMs = startsWithinMs * random();
      return sampleLag(client, operationMs, () => start.whenAllAreReady().then(() => sleep(delayMs)));
    }),
  );
  return Promise.all(samples.map((ofDuration) => Promise.all(ofDuration)));
}

/** The samples begin when every emulator is up: the start of one takes longer than what is measured. */
class Start {
  readonly #everyone: Promise<void>;
  #missing: number;
  #release: () => void = () => {};

  constructor(count: number) {
    this.#missing = count;
    this.#everyone = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  whenAllAreReady(): Promise<void> {
    this.#missing -= 1;
    if (this.#missing === 0) this.#release();
    return this.#everyone;
  }
}

/** One create whose operation takes so long. */
async function sampleLag(
  client: ClientName,
  operationMs: number,
  untilStart: () => Promise<void>,
): Promise<Sample> {
  return withEmulator({ operationMs }, async (emulator) => {
    const project = prepareProject(emulator);
    const create = clientOf(client, emulator);
    await untilStart();
    await project.createMany(create, 1);
    return { operationMs, lagMs: lagOf(emulator, project.id, Date.now(), client) };
  });
}

/**
 * The lag of the one create that ended last: from the moment at which the emulator ended its operation (`updated_at`)
 * until the client knows of it. A baseline knows when its create returns. Ours then still reads the endpoint back, so
 * it is taken to know when that read reaches the emulator, which counts whatever it does before it sends it. Emulator
 * and client are one process with one clock.
 * @throws Error when the requests are not those that this takes for granted
 */
export function lagOf(emulator: Emulator, projectId: string, returnedAt: number, client: ClientName): number {
  const [operation] = emulator.operations(projectId);
  if (operation?.status !== 'finished') throw new Error('the newest operation has not finished');
  const endedAt = Date.parse(operation.updated_at);
  if (client !== 'ours') return returnedAt - endedAt;
  const read = arrivalsAt(emulator).at(-1);
  const isReadBack = read?.method === 'GET' && read.path.endsWith(`/projects/${projectId}/endpoints`);
  if (!isReadBack || read.atMs < endedAt)
    throw new Error('the last request is not the read of what was made');
  return read.atMs - endedAt;
}
