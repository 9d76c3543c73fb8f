import { atMost, type Figure, mean } from '../figure';
import { type ClientName, clientOf, measure, prepareProject, withEmulator } from '../service';
import { lagOf } from './detection-lag';

const operationMs = 5_000;
const samples = 8;
const historyLength = 10;

/** Requests to make one endpoint, in a project without history and in one with; and the lag of both. */
export async function measureOneCreate(): Promise<Figure[]> {
  const [first, known, naive, suggested] = await Promise.all([
    sampleCreates('ours', 0),
    sampleCreates('ours', historyLength),
    sampleCreates('a', 0),
    sampleCreates('b', 0),
  ]);
  const baselines = { a: naive.requests, b: suggested.requests };
  return [
    atMost({
      name: 'requests to create 1 endpoint, 5 s operation, no history',
      value: first.requests,
      limit: 25,
      baselines,
    }),
    atMost({
      name: 'the same with a history of such operations',
      value: known.requests,
      limit: 10,
      baselines,
    }),
    atMost({
      name: 'mean lag with history, as a share of the one without',
      value: known.lagMs / first.lagMs,
      limit: 0.5,
    }),
  ];
}

async function sampleCreates(client: ClientName, history: number) {
  const results = await Promise.all(
    Array.from({ length: samples }, async (_, index) =>
      withEmulator({ operationMs: spreadOf(index), locks: 'none' }, async (emulator) => {
        const project = prepareProject(emulator);
        // Somebody else's, so that the client under measurement knows of them by the service alone.
        if (history > 0) await project.createMany(clientOf('b', emulator), history, 'earlier');
        const create = clientOf(client, emulator);
        const { requests } = await measure(emulator, () => project.createMany(create, 1));
        return { requests, lagMs: lagOf(emulator, project.id, Date.now(), client) };
      }),
    ),
  );
  return {
    requests: mean(results.map(({ requests }) => requests)),
    lagMs: mean(results.map(({ lagMs }) => lagMs)),
  };
}

/** From 4.8 to 5.2 s, so that no interval happens to fit. */
function spreadOf(index: number): number {
  return Math.round(operationMs * (0.96 + (0.08 * index) / (samples - 1)));
}

/** Requests per endpoint when many are made at once in a project whose operations run side by side. */
export async function measureSideBySide(count: number): Promise<Figure[]> {
  const perEndpoint = async (client: ClientName) =>
    withEmulator({ operationMs, locks: 'endpoint' }, async (emulator) => {
      const project = prepareProject(emulator);
      const { requests } = await measure(emulator, () =>
        project.createMany(clientOf(client, emulator), count),
      );
      return requests / count;
    });
  const [value, a, b] = [await perEndpoint('ours'), await perEndpoint('a'), await perEndpoint('b')];
  return [
    atMost({
      name: `requests per endpoint, ${count} endpoints in 1 project, side by side`,
      value,
      limit: 1.5,
      baselines: { a, b },
    }),
  ];
}

/** How much longer than its operations a project takes that runs one chain at a time. */
export async function measureLockedProject(count: number): Promise<Figure[]> {
  const lockedOperationMs = 2_000;
  const share = async (client: ClientName) =>
    withEmulator({ operationMs: lockedOperationMs }, async (emulator) => {
      const project = prepareProject(emulator);
      const { ms } = await measure(emulator, () => project.createMany(clientOf(client, emulator), count));
      return ms / (lockedOperationMs * count);
    });
  const [value, a] = await Promise.all([share('ours'), share('a')]);
  return [
    atMost({
      name: `makespan over the sum of operation times, ${count} endpoints, project that locks`,
      value,
      limit: 1.1,
      baselines: { a },
    }),
  ];
}

/** The most requests in any 60 s, while more endpoints are made than the account may send requests in that time. */
export async function measureRequestRate(count: number): Promise<Figure[]> {
  return withEmulator({ operationMs: 0, locks: 'none' }, async (emulator) => {
    const project = prepareProject(emulator);
    await project.createMany(clientOf('ours', emulator), count);
    const times = emulator.requests().map(({ time }) => Date.parse(time));
    const inMinuteFrom = (start: number) =>
      times.filter((time) => time >= start && time < start + 60_000).length;
    return [
      atMost({
        name: `highest request rate in any 60 s, ${count} endpoints at once`,
        value: Math.max(...times.map(inMinuteFrom)),
        limit: 700,
      }),
    ];
  });
}
