import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { openCertificates } from '../../emulator/src/gateway/certificates';
import { portOf } from '../../emulator/src/gateway/listen';
import { findPostgres, serverUser, startPlainPostgres } from '../../tests/support/plain-postgres';
import { atMost, type Figure, informative, quantile } from '../figure';
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

/** What a client of the emulator's Postgres servers notices. Empty when there is no Postgres on PATH. */
export async function measurePostgres(samples: number): Promise<Figure[]> {
  const bin = findPostgres();
  if (bin === undefined) {
    process.stderr.write('bench: no Postgres on PATH, so its figures are left out\n');
    return [];
  }
  const service = await PostgresService.start();
  try {
    return [
      ...(await measureLatency(service, bin, samples)),
      await measureWakeUp(service),
      ...(await measureManyEndpoints(service)),
    ];
  } finally {
    await service.stop();
  }
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
      atMost({
        name: 'latency of a query of 50 rows through the gateway, over direct TLS',
        value: ofPages.through / ofPages.direct,
        limit: 1.2,
        details: { throughMs: ofPages.through, directMs: ofPages.direct },
      }),
      informative({
        name: 'latency of the shortest query through the gateway',
        value: ofShortest.through,
        unit: ' ms',
        baselines: { 'direct TLS': ofShortest.direct },
      }),
    ];
  } finally {
    await Promise.all([direct.end(), through.end()]);
    await plain.stop();
    rmSync(folder, { recursive: true });
  }
}

/** The median times in milliseconds. The two clients take turns, so that both meet the same load. */
async function compareTimes(both: Record<'direct' | 'through', Client>, query: string, samples: number) {
  const times = { direct: [] as number[], through: [] as number[] };
  for (let round = -samples / 10; round < samples; round += 1) {
    for (const way of ['direct', 'through'] as const) {
      const startedAt = performance.now();
      await both[way].query(query, [1 + (Math.abs(round) % 100)]);
      if (round >= 0) times[way].push(performance.now() - startedAt);
    }
  }
  return { direct: quantile(times.direct, 0.5), through: quantile(times.through, 0.5) };
}

/** From the start of a connection to the first answer. */
async function measureWakeUp(service: PostgresService): Promise<Figure> {
  const place = await service.createProject();
  const connect = async () => {
    const startedAt = performance.now();
    const client = await service.connect(place.login);
    await client.query(shortest, [1]);
    const ms = performance.now() - startedAt;
    await client.end();
    return ms;
  };
  await connect();
  const [idle, running]: [number[], number[]] = [[], []];
  for (let round = 0; round < wakeUps; round += 1) {
    running.push(await connect());
    await service.call('POST', `/projects/${place.projectId}/endpoints/${place.endpointId}/suspend`);
    await sleep(500); // The server ends in the background.
    idle.push(await connect());
  }
  return atMost({
    name: 'connection and first query, idle compute, median',
    value: quantile(idle, 0.5),
    limit: 300,
    unit: ' ms',
    baselines: { 'active compute': quantile(running, 0.5) },
    details: { slowestMs: Math.max(...idle) },
  });
}

async function measureManyEndpoints(service: PostgresService): Promise<Figure[]> {
  const startedAt = performance.now();
  const places = await Promise.all(Array.from({ length: endpoints }, () => service.createProject()));
  const first = await Promise.all(places.map(({ login }) => service.connect(login)));
  const seconds = (performance.now() - startedAt) / 1000;
  const megabytes = service.measureMemory();
  await Promise.all(first.map((client) => client.end()));
  return [
    atMost({
      name: `${endpoints} new projects, until a client is connected to each`,
      value: seconds,
      limit: 20,
      unit: ' s',
    }),
    atMost({
      name: `memory of a compute's server and its client, mean of ${endpoints}`,
      value: megabytes,
      limit: 30,
      unit: ' MB',
    }),
  ];
}

/** The settings of a server that ends TLS itself, with a certificate like the gateway's. */
async function writeCertificate(folder: string) {
  const { standard } = await openCertificates(folder, () => true);
  const files = { ssl_cert_file: join(folder, 'server.pem'), ssl_key_file: join(folder, 'server-key.pem') };
  chmodSync(folder, 0o755);
  writeFileSync(files.ssl_cert_file, standard.cert);
  writeFileSync(files.ssl_key_file, standard.key, { mode: 0o600 });
  if (serverUser !== undefined) chownSync(files.ssl_key_file, serverUser.uid, serverUser.gid);
  return { ssl: 'on', ...files };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
