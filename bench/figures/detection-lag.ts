import { setTimeout as sleep } from 'node:timers/promises';
import { times } from 'lodash';
import type { Emulator } from 'postgres-control-emulator';
import { Randomness } from '../../tests/simulation/time/seeded-randomness';
import { type ClientName, clientOf } from '../compared-clients';
import { type Figure, quantile } from '../figure';
import { prepareProject, withEmulators } from '../metered-emulator';
import { drawTime } from '../operation-times';
import { arrivalsAt } from '../request-meter';

const samplesPerDuration = 20;
const spread = 0.2;
const seed = 1;
/** The samples begin within so long, not all at one moment: their looks would come in bursts. Milliseconds. */
const startsWithinMs = 3_000;
/** The larger of these is allowed: milliseconds, and the share of the mean of the operations. */
const allowedMs = 250;
const allowedShare = 0.1;

/**
 * How late a client notices that an operation has ended. Every sample has an emulator and a client of its own, so
 * nothing is known of earlier operations. One kind of client runs after the other: they would delay each other.
 */
export async function measureDetectionLag(durationsMs: readonly number[]): Promise<Figure[]> {
  // What is loaded and compiled on first use delays no sample.
  await withEmulators([{ operationMs: 100 }], async ([emulator]) => emulator && sampleLag('ours', emulator));
  const [ours, a, b] = [
    await sampleAll('ours', durationsMs),
    await sampleAll('a', durationsMs),
    await sampleAll('b', durationsMs),
  ];
  const p95 = (lagsMs: readonly number[], index: number) =>
    quantile(lagsMs.slice(index * samplesPerDuration, (index + 1) * samplesPerDuration), 0.95);
  return durationsMs.map((durationMs, index) => ({
    name: `detection lag, p95, operations of ${durationMs / 1000} s +-20 %`,
    value: p95(ours, index),
    unit: ' ms',
    atMost: Math.max(allowedMs, durationMs * allowedShare),
    baselines: { a: p95(a, index), b: p95(b, index) },
  }));
}

/** The lags of one duration after the other. Seeded: the same times in each run and for each client. */
function sampleAll(client: ClientName, durationsMs: readonly number[]): Promise<number[]> {
  const random = new Randomness(seed);
  const services = durationsMs.flatMap((meanMs) =>
    times(samplesPerDuration, () => ({ operationMs: drawTime({ meanMs, spread }, random) })),
  );
  return withEmulators(services, (emulators) =>
    Promise.all(emulators.map((emulator) => sampleLag(client, emulator, startsWithinMs * random.next()))),
  );
}

async function sampleLag(client: ClientName, emulator: Emulator, delayMs = 0): Promise<number> {
  const project = prepareProject(emulator);
  const create = clientOf(client, emulator);
  await sleep(delayMs);
  await project.createMany(create, 1);
  return lagOf(emulator, project.id, Date.now(), client);
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
