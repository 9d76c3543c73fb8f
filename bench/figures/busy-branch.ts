import { setTimeout as sleep } from 'node:timers/promises';
import { findPostgres } from '../../tests/support/plain-postgres';
import { atMost, type Figure, quantile } from '../figure';
import { type ConnectedPlace, PostgresService } from '../postgres-service';

/** About 250 MB. */
const fill = "CREATE TABLE pages AS SELECT repeat('x', 1000) AS text FROM generate_series(1, 220000)";
const isUnderWay = /scheduling|running/;

/** New connections to a running endpoint while its branch is busy. Empty when there is no Postgres on PATH. */
export async function measureBusyBranch(rounds: number): Promise<Figure[]> {
  if (findPostgres() === undefined) return [];
  const service = await PostgresService.start();
  try {
    const place = await service.createProject();
    const filling = await service.connect(place.login);
    await filling.query(fill);
    await filling.end();
    const path = `/projects/${place.projectId}`;
    const branch_id = (await service.call<Branches>('GET', `${path}/branches`)).branches[0]?.id;
    const endpoint = { branch_id, type: 'read_only' };
    const replica = (await service.call<Replica>('POST', `${path}/endpoints`, { endpoint })).endpoint;
    const [quiet, busy]: [number[], number[]] = [[], []];
    // In turns, so that both meet the same load of the machine.
    for (let round = 0; round < rounds; round += 1) {
      const copies = copyTwice(service, place, replica);
      const end = copies.then(() => performance.now());
      let isOver = false;
      void end.then(() => {
        isOver = true;
      });
      const before = busy.length;
      while (!isOver) busy.push(await timeConnection(service, place));
      await end;
      const count = busy.length - before;
      while (quiet.length < before + count) quiet.push(await timeConnection(service, place));
    }
    const [ofBusy, ofQuiet] = [quantile(busy, 0.95), quantile(quiet, 0.95)];
    return [
      atMost({
        name: 'p95 of a new connection while a replica starts and 250 MB are copied, over quiet',
        value: ofBusy / ofQuiet,
        limit: 1.5,
        details: { busyMs: ofBusy, quietMs: ofQuiet, slowestMs: Math.max(...busy), samples: busy.length },
      }),
    ];
  } finally {
    await service.stop();
  }
}

interface Branches {
  branches: { id: string }[];
}

interface Replica {
  endpoint: { id: string; host: string };
}

/** A branch gets its parent's data, and a replica starts again, which copies the same data. */
async function copyTwice(
  service: PostgresService,
  { projectId, login }: ConnectedPlace,
  { id, host }: Replica['endpoint'],
): Promise<void> {
  const path = `/projects/${projectId}`;
  await service.call('POST', `${path}/endpoints/${id}/suspend`);
  const { branch } = await service.call<{ branch: { id: string } }>('POST', `${path}/branches`, {
    branch: {},
  });
  await (await service.connect({ ...login, host })).end();
  while (await isCreating(service, `${path}/operations`)) await sleep(20);
  await service.call('DELETE', `${path}/branches/${branch.id}`);
}

async function isCreating(service: PostgresService, path: string): Promise<boolean> {
  const { operations } = await service.call<{ operations: { status: string }[] }>('GET', path);
  return operations.some(({ status }) => isUnderWay.test(status));
}

async function timeConnection(service: PostgresService, { login }: ConnectedPlace): Promise<number> {
  const startedAt = performance.now();
  const client = await service.connect(login);
  await client.query('SELECT 1');
  const ms = performance.now() - startedAt;
  await client.end();
  return ms;
}
