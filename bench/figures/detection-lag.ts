import { type Figure, quantile, show } from '../figure';
import { type ClientName, clientOf, prepareProject, withEmulator } from '../service';

const samplesPerDuration = 16;
const spread = 0.2;
/** The larger of these is allowed: milliseconds, and the share of the operation's time. */
const allowedMs = 250;
const allowedShare = 0.1;

/**
 * From the moment when the emulator ends an operation until the client knows: until its create returns, less the last
 * request, with which ours reads the endpoint back. Every sample has an emulator and a client of its own, so nothing is
 * known of earlier operations.
 */
export async function measureDetectionLag(durationsMs: readonly number[]): Promise<Figure[]> {
  const lags = async (client: ClientName) =>
    Promise.all(
      durationsMs.map(async (durationMs) => {
        const samples = Array.from({ length: samplesPerDuration }, (_, index) => {
          // Evenly over the range: the same times in each run and for each client.
          const share = 1 - spread + (2 * spread * (index + 0.5)) / samplesPerDuration;
          return sampleLag(client, Math.round(durationMs * share));
        });
        return quantile(await Promise.all(samples), 0.95);
      }),
    );
  const [ours, naive, suggested] = await Promise.all([lags('ours'), lags('a'), lags('b')]);
  return durationsMs.map((durationMs, index) => {
    const limit = Math.max(allowedMs, durationMs * allowedShare);
    const value = ours[index] ?? Number.NaN;
    const a = naive[index] ?? Number.NaN;
    const b = suggested[index] ?? Number.NaN;
    return {
      name: `detection lag, p95, operations of ${durationMs / 1000} s +-20 %`,
      bound: `<= ${show(limit)} ms`,
      measured: `${show(value)} ms`,
      baselines: `a ${show(a)} ms, b ${show(b)} ms`,
      isMet: value <= limit,
      numbers: { value, limit, a, b },
    };
  });
}

/** One create whose operation takes so long. Returns the lag in milliseconds. */
export async function sampleLag(client: ClientName, operationMs: number): Promise<number> {
  return withEmulator({ operationMs }, async (emulator) => {
    const project = prepareProject(emulator);
    await project.createMany(clientOf(client, emulator), 1);
    return lagOf(emulator, project.id, Date.now(), client);
  });
}

/** The lag of the newest operation of the project. */
export function lagOf(
  emulator: Parameters<typeof clientOf>[1],
  projectId: string,
  noticedAt: number,
  client: ClientName,
): number {
  const [operation] = emulator.operations(projectId);
  if (!operation) throw new Error('there was no operation');
  const lastRequest = emulator.requests().at(-1);
  // Ours has noticed when it begins to read the endpoint back.
  const knownAt = client === 'ours' && lastRequest ? Date.parse(lastRequest.time) : noticedAt;
  return Math.max(0, knownAt - Date.parse(operation.updated_at));
}
