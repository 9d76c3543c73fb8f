import { mean, times } from 'lodash';
import { type ClientName, clientOf } from '../compared-clients';
import type { Figure } from '../figure';
import { measure, prepareProject, withEmulator } from '../metered-emulator';
import { type OperationTime, spreadTimes } from '../operation-times';
import { lagOf } from './detection-lag';

const samples = 8;
const historyLength = 10;
/** From 4.8 to 5.2 s, so that no interval happens to fit; also from one operation of a project to the next. */
const alike: OperationTime = { meanMs: 5_000, spread: 0.04 };
const unlike: OperationTime = { meanMs: 5_000, spread: 0.2 };

/** Requests to make one endpoint, in a project without history and in one with; and the lag of both. */
export async function measureOneCreate(): Promise<Figure[]> {
  const first = await sampleCreates('ours', 0, alike);
  const known = await sampleCreates('ours', historyLength, alike);
  const guessed = await sampleCreates('ours', historyLength, unlike);
  const a = (await sampleCreates('a', 0, alike)).requests;
  const b = (await sampleCreates('b', 0, alike)).requests;
  return [
    {
      name: 'requests to create 1 endpoint, 5 s operation, no history',
      value: first.requests,
      atMost: 20,
      baselines: { a, b },
    },
    {
      name: 'the same with a history of such operations (+-4 %)',
      value: known.requests,
      atMost: 10,
      baselines: { a, b },
    },
    {
      name: 'mean lag with that history, as a share of the one without',
      value: known.lagMs / first.lagMs,
      atMost: 0.5,
    },
    { name: 'requests where operations, past ones too, differ by +-20 %', value: guessed.requests },
    { name: 'mean lag there, as a share of the one without history', value: guessed.lagMs / first.lagMs },
  ];
}

async function sampleCreates(client: ClientName, history: number, time: OperationTime) {
  const creates = times(samples, (index) => sampleCreate(client, history, spreadTimes(time, index)));
  const results = await Promise.all(creates);
  return {
    requests: mean(results.map(({ requests }) => requests)),
    lagMs: mean(results.map(({ lagMs }) => lagMs)),
  };
}

async function sampleCreate(
  client: ClientName,
  history: number,
  operationMs: Readonly<Record<string, number>>,
) {
  return withEmulator({ operationMs, locks: 'none' }, async (emulator) => {
    const project = prepareProject(emulator);
    // Somebody else's, so that the client under measurement knows of them by the service alone.
    if (history > 0) await project.createMany(clientOf('b', emulator), history, { prefix: 'earlier' });
    const create = clientOf(client, emulator);
    const { requests } = await measure(emulator, () => project.createMany(create, 1));
    return { requests, lagMs: lagOf(emulator, project.id, Date.now(), client) };
  });
}
