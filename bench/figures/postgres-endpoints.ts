import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { times } from 'lodash';
import { Client } from 'pg';
import { openCertificate } from '../../emulator/src/gateway/certificates';
import { serverUser, startPlainPostgres } from '../../tests/support/plain-postgres';
import { type Figure, quantile } from '../figure';
import { PostgresService } from '../postgres-service';

const endpoints = 20;
const wakeUps = 10;

const tables = `
  CREATE TABLE customers AS SELECT id, 'customer ' || id AS name FROM generate_series(1, 100) id;
  CREATE TABLE orders AS SELECT id, id % 100 + 1 AS customer, md5(id::text) AS note FROM generate_series(1, 10000) id;
  CREATE INDEX ON orders (customer, id);
  ANALYZE`;
/** The latest orders of one customer: what a page of an application asks for. */
const page = `
  SELECT orders.id, orders.note, customers.name FROM orders JOIN customers ON customers.id = orders.customer
  WHERE customer = $1 ORDER BY orders.id DESC LIMIT 50`;
const shortest = 'SELECT $1::int';

/** What a client of the emulator's Postgres servers notices. */
export function measurePostgres(samples: number): Promise<Figure[]> {
  return PostgresService.use(async (service, bin) => [
    ...(await measureLatency(service, bin, samples)),
    await measureWakeUp(service),
    ...(await measureManyEndpoints(service)),
  ]);
}

async function measureLatency(service: PostgresService, bin: string, samples: number): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-postgres-'));
  const port = await findFreePort();
  const plain = await startPlainPostgres(bin, {
    port: String(port),
    listen_addresses: '127.0.0.1',
    ...(await writeCertificate(folder)),
  });
  const direct = new Client({
    host: '127.0.0.1',
    port,
    user: 'app',
    password: 'secret',
    database: 'app',
    ssl: { rejectUnauthorized: false },
  });
  await direct.connect();
  const through = await service.connect((await service.createProject()).login);
  try {
    for (const client of [direct, through]) await client.query(tables);
    const ofPages = await compareTimes({ direct, through }, page, samples);
    const ofShortest = await compareTimes({ direct, through }, shortest, samples);
    return [
      {
        name: 'latency of a query of 50 rows through the gateway, over direct TLS',
        value: ofPages.through / ofPages.direct,
        atMost: 1.2,
      },
      {
        name: 'latency of the shortest query through the gateway',
        value: ofShortest.through,
        unit: ' ms',
        baselines: { 'direct TLS': ofShortest.direct },
      },
    ];
  } finally {
    await Promise.all([direct.end(), through.end()]);
    await plain.stop();
    rmSync(folder, { recursive: true });
  }
}

/** The median times in milliseconds. The two clients take turns, so that both meet the same load. */
async function compareTimes(both: Record<'direct' | 'through', Client>, query: string, samples: number) {
  const taken = { direct: [] as number[], through: [] as number[] };
  for (let round = -samples / 10; round < samples; round += 1) {
    for (const way of ['direct', 'through'] as const) {
      const startedAt = performance.now();
      await both[way].query(query, [1 + (Math.abs(round) % 100)]);
      if (round >= 0) taken[way].push(performance.now() - startedAt);
    }
  }
  return { direct: quantile(taken.direct, 0.5), through: quantile(taken.through, 0.5) };
}

async function measureWakeUp(service: PostgresService): Promise<Figure> {
  const place = await service.createProject();
  await service.timeConnection(place);
  const [idle, running]: [number[], number[]] = [[], []];
  for (let round = 0; round < wakeUps; round += 1) {
    running.push(await service.timeConnection(place));
    await service.call('POST', `/projects/${place.projectId}/endpoints/${place.endpointId}/suspend`);
    await sleep(500); // The server ends in the background.
    idle.push(await service.timeConnection(place));
  }
  return {
    name: 'connection and first query, idle compute, median',
    value: quantile(idle, 0.5),
    atMost: 300,
    unit: ' ms',
    baselines: { 'active compute': quantile(running, 0.5) },
  };
}

async function measureManyEndpoints(service: PostgresService): Promise<Figure[]> {
  const startedAt = performance.now();
  const places = await Promise.all(times(endpoints, () => service.createProject()));
  const clients = await Promise.all(places.map(({ login }) => service.connect(login)));
  const value = (performance.now() - startedAt) / 1000;
  const megabytes = service.measureMemory();
  await Promise.all(clients.map((client) => client.end()));
  return [
    { name: `${endpoints} new projects, until a client is connected to each`, value, atMost: 20, unit: ' s' },
    {
      name: `memory of a compute's server and its client, mean of ${endpoints}`,
      value: megabytes,
      atMost: 30,
      unit: ' MB',
    },
  ];
}

/** The settings of a server that ends TLS itself, with a certificate like the gateway's. */
async function writeCertificate(folder: string) {
  const { cert, key } = await openCertificate(folder);
  const files = { ssl_cert_file: join(folder, 'server.pem'), ssl_key_file: join(folder, 'server-key.pem') };
  chmodSync(folder, 0o755);
  writeFileSync(files.ssl_cert_file, cert);
  writeFileSync(files.ssl_key_file, key, { mode: 0o600 });
  if (serverUser !== undefined) chownSync(files.ssl_key_file, serverUser.uid, serverUser.gid);
  return { ssl: 'on', ...files };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // Of a server that listens on a port.
  await new Promise((resolve) => server.close(resolve));
  return port;
}
