import { sumBy } from 'lodash';
import { type ClientName, clientOf } from '../compared-clients';
import type { Figure } from '../figure';
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
      const create = clientOf(client, emulator);
      const project = prepareProject(emulator);
      const { requests } = await measure(emulator, () => project.createMany(create, count));
      return requests / count;
    });
  const [value, a, b] = [await perEndpoint('ours'), await perEndpoint('a'), await perEndpoint('b')];
  const name = `requests per endpoint, ${count} endpoints in 1 project, side by side`;
  return [{ name, value, atMost: 1.25, baselines: { a, b } }];
}

/** Makespan of a locking project over the sum of its operation times, and its requests. */
export async function measureLockedProject(count: number): Promise<Figure[]> {
  const makespan = async (client: ClientName) => {
    // The same times for each client, which differ as little as those of one action do.
    const operationMs = spreadTimes({ meanMs: 2_000, spread: 0.04 }, count);
    return withEmulator({ operationMs }, async (emulator) => {
      const create = clientOf(client, emulator);
      const project = prepareProject(emulator);
      const before = emulator.operations(project.id).length;
      const { ms, requests } = await measure(emulator, () => project.createMany(create, count));
      const operations = emulator.operations(project.id);
      const added = operations.slice(0, operations.length - before);
      return { share: ms / sumBy(added, 'total_duration_ms'), requests };
    });
  };
  const [ours, a, b] = await Promise.all([makespan('ours'), makespan('a'), makespan('b')]);
  return [
    {
      name: `makespan over the sum of operation times, ${count} endpoints, project that locks`,
      value: ours.share,
      atMost: 1.1,
      baselines: { a: a.share, b: b.share },
    },
    {
      name: `requests of these ${count} creates`,
      value: ours.requests,
      atMost: 3 * count,
      baselines: { a: a.requests, b: b.requests },
    },
  ];
}

/** The most requests in any 60 s, while more endpoints are made than the account may send requests in that time. */
export async function measureRequestRate(count: number): Promise<Figure[]> {
  const options = { operationMs: 0, locks: 'none', requestsPerMinute: accountLimit } as const;
  return withEmulator(options, async (emulator) => {
    await prepareProject(emulator).createMany(clientOf('ours', emulator), count);
    const name = `highest request rate in any 60 s, ${count} endpoints at once`;
    // What the service refuses counts too.
    const value = highestRate(arrivalsAt(emulator), accountWindowMs);
    return [{ name, value, atMost: accountLimit }];
  });
}
