import { type ClientName, clientOf } from '../compared-clients';
import { atMost, type Figure } from '../figure';
import { measure, prepareProject, withEmulator } from '../metered-emulator';
import { spreadTimes } from '../operation-times';
import { arrivalsAt, highestRate } from '../request-meter';

/** What the service lets an account send in any 60 s. */
const accountLimit = 700;
const accountWindowMs = 60_000;

/** Requests per endpoint when many are made at once in a project whose operations run side by side. */
export async function measureSideBySide(count: number): Promise<Figure[]> {
  const perEndpoint = async (client: ClientName) =>
    withEmulator({ operationMs: 5_000, locks: 'endpoint' }, async (emulator) => {
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
      limit: 1.25,
      baselines: { a, b },
    }),
  ];
}

/** Makespan of a locking project over the sum of its operation times, and its requests. */
export async function measureLockedProject(count: number): Promise<Figure[]> {
  const makespan = async (client: ClientName) => {
    // The same times for each client, which differ as little as those of one action do.
    const operationMs = spreadTimes({ meanMs: 2_000, spread: 0.04 }, count);
    return withEmulator({ operationMs }, async (emulator) => {
      const project = prepareProject(emulator);
      const before = emulator.operations(project.id).length;
      const { ms, requests } = await measure(emulator, () =>
        project.createMany(clientOf(client, emulator), count),
      );
      const operations = emulator.operations(project.id);
      const added = operations.slice(0, operations.length - before);
      const sumMs = added.reduce((sum, { total_duration_ms }) => sum + total_duration_ms, 0);
      return { share: ms / sumMs, requests };
    });
  };
  const [ours, a, b] = await Promise.all([makespan('ours'), makespan('a'), makespan('b')]);
  return [
    atMost({
      name: `makespan over the sum of operation times, ${count} endpoints, project that locks`,
      value: ours.share,
      limit: 1.1,
      baselines: { a: a.share, b: b.share },
    }),
    atMost({
      name: `requests of these ${count} creates`,
      value: ours.requests,
      limit: 3 * count,
      baselines: { a: a.requests, b: b.requests },
    }),
  ];
}

/** The most requests in any 60 s, while more endpoints are made than the account may send requests in that time. */
export async function measureRequestRate(count: number): Promise<Figure[]> {
  // The service keeps count too: what it refuses is in the figure.
  const options = { operationMs: 0, locks: 'none', requestsPerMinute: accountLimit } as const;
  return withEmulator(options, async (emulator) => {
    const project = prepareProject(emulator);
    await project.createMany(clientOf('ours', emulator), count);
    const refused = emulator.requests().filter(({ status }) => status === 429).length;
    return [
      atMost({
        name: `highest request rate in any 60 s, ${count} endpoints at once`,
        value: highestRate(arrivalsAt(emulator), accountWindowMs),
        limit: accountLimit,
        details: { refused, requests: arrivalsAt(emulator).length },
      }),
    ];
  });
}
