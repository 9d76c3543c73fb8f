import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { connectClient } from '../support/gateway-clients';
import { findPostgres, type PlainPostgres, startPlainPostgres } from '../support/plain-postgres';
import { CODES, openSocket, openTls, packet, readMessages } from '../support/raw-postgres-client';
import { logIn } from '../support/scram-client';
import { HOST, OneCompute, startTestGateway, storedPassword } from '../support/start-gateway';

const bin = findPostgres();

describe.skipIf(bin === undefined)('a session through the gateway', () => {
  let postgres: PlainPostgres;
  beforeAll(async () => {
    postgres = await startPlainPostgres(bin ?? '', {}, await storedPassword);
    return () => postgres.stop();
  });

  const start = async () => {
    const computes = new OneCompute(postgres.socket);
    return { computes, gateway: await startTestGateway(computes) };
  };

  it.each(['waits', 'closes at once'])(
    'cancels the query of one client when the other %s',
    async (manner) => {
      const { gateway } = await start();
      const [client, other] = [await connectClient(gateway), await connectClient(gateway)];
      const cancelled = expect(client.query('SELECT pg_sleep(60)')).rejects.toMatchObject({ code: '57014' });
      const others = other.query('SELECT pg_sleep(0.2)');
      // Postgres ignores a cancel request that comes before the query.
      const sleeping = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%(60)'";
      await expect.poll(() => postgres.query(sleeping)).toHaveLength(1);
      // Type definitions do not have it: what BackendKeyData said.
      const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
      const key = Buffer.alloc(8);
      key.writeInt32BE(processID);
      key.writeInt32BE(secretKey, 4);
      const tls = await openTls(gateway.port, { servername: HOST });
      tls.write(packet(CODES.cancel, key));
      if (manner === 'closes at once') tls.end();
      expect(await readMessages(tls)).toEqual([]);
      await cancelled;
      expect((await others).rowCount).toBe(1);
    },
  );

  it('a large result arrives whole at a slow reader', async () => {
    const { gateway } = await start();
    const client = await connectClient(gateway);
    // A long value, then many small ones, while the client pauses now and then.
    const { stream } = (client as unknown as { connection: { stream: NodeJS.ReadableStream } }).connection;
    const pauses = setInterval(() => {
      stream.pause();
      setTimeout(() => stream.resume(), 10);
    }, 20);
    onTestFinished(() => clearInterval(pauses));
    const query = "SELECT repeat('x', 30000000) AS text UNION ALL SELECT generate_series(1, 100000)::text";
    const { rows } = await client.query(query);
    expect([rows.length, rows[0].text.length, rows.at(-1).text]).toEqual([100_001, 30_000_000, '100000']);
  });

  it('a client that has closed its side still gets the answer', async () => {
    const { gateway } = await start();
    const socket = await openSocket(gateway.port);
    await logIn(socket);
    await once(socket, 'data');
    socket.end('Q\0\0\0\x0dSELECT 1\0');
    expect((await readMessages(socket)).map(({ type }) => type).join('')).toContain('TDCZ');
  });

  it('a server that stops sends each client its reason, idle or in a query', async () => {
    const { gateway, computes } = await start();
    const clients = await Promise.all(Array.from({ length: 20 }, () => connectClient(gateway)));
    const reasons = clients.map(async (client, index) => {
      const error = once(client, 'error').then(([reason]) => reason.code);
      if (index % 2 === 0) return error;
      return client.query('SELECT pg_sleep(60)').catch(({ code }) => code);
    });
    await sleep(50);
    await postgres.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
    expect(await Promise.all(reasons)).toEqual(clients.map(() => '57P01'));
    await expect.poll(() => computes.clients).toBe(0);
  });
});
