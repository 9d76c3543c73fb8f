import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure, quantile } from '../figure';
import { type ConnectedPlace, PostgresService } from '../postgres-service';

/** About 250 MB. */
const fill = "CREATE TABLE pages AS SELECT repeat('x', 1000) AS text FROM generate_series(1, 220000)";
const isUnderWay = /scheduling|running/;

interface Replica {
  endpoint: { id: string; host: string };
}

/** New connections to a running endpoint while its branch is busy. */
export function measureBusyBranch(rounds: number): Promise<Figure[]> {
  return PostgresService.use(async (service) => {
    const place = await service.createProject();
    const filling = await service.connect(place.login);
    await filling.query(fill);
    await filling.end();
    const endpoint = { branch_id: place.branchId, type: 'read_only' };
    const path = `/projects/${place.projectId}/endpoints`;
    const replica = (await service.call<Replica>('POST', path, { endpoint })).endpoint;
    const [quiet, busy]: [number[], number[]] = [[], []];
    // In turns, so that both meet the same load of the machine.
    for (let round = 0; round < rounds; round += 1) {
      let isOver = false;
      const copies = copyTwice(service, place, replica).finally(() => {
        isOver = true;
      });
      while (!isOver) busy.push(await service.timeConnection(place));
      await copies;
      while (quiet.length < busy.length) quiet.push(await service.timeConnection(place));
    }
    const name = 'p95 of a new connection while a replica starts and 250 MB are copied, over quiet';
    return [{ name, value: quantile(busy, 0.95) / quantile(quiet, 0.95), atMost: 1.5 }];
  });
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
