import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientConfig } from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { connectClient, psql } from '../support/gateway-clients';
import { findPostgres, type PlainPostgres, startPlainPostgres } from '../support/plain-postgres';
import {
  CODES,
  openSocket,
  openTls,
  packet,
  readMessages,
  secure,
  startPacket,
} from '../support/raw-postgres-client';
import { logIn } from '../support/scram-client';
import { ENDPOINT, HOST, OneCompute, startTestGateway, storedPassword } from '../support/start-gateway';

const bin = findPostgres();
if (bin === undefined) process.stderr.write('No Postgres on PATH: the tests of the gateway are skipped.\n');

describe.skipIf(bin === undefined)('a Postgres behind the gateway', () => {
  let postgres: PlainPostgres;
  beforeAll(async () => {
    postgres = await startPlainPostgres(bin ?? '', {}, await storedPassword);
    return () => postgres.stop();
  });

  const start = async () => {
    const computes = new OneCompute(postgres.socket);
    return { computes, gateway: await startTestGateway(computes) };
  };

  describe('a client reaches its endpoint', () => {
    it.each([
      ['by the host name', ''],
      ['by the host name of the pooler', `host=${HOST.replace('.', '-pooler.')}`],
      ['by the option, without TLS', `host=127.0.0.1 sslmode=disable options=endpoint=${ENDPOINT}`],
      ['through ::1', 'hostaddr=::1'],
      ['after a request for GSS encryption', 'gssencmode=prefer'],
    ])('psql, %s', async (_way, words) => {
      const { gateway } = await start();
      expect(await psql(gateway, 'SELECT current_user', words)).toBe('app');
    });

    it('psql verifies the certificate, of names and of addresses', async () => {
      const { gateway } = await start();
      const hosts = [HOST, HOST.replace('.', '-pooler.')];
      for (const host of [...hosts, 'localhost', '127.0.0.1', '::1']) {
        const words = `host=${host} options=endpoint=${ENDPOINT} sslmode=verify-full sslrootcert=${gateway.certificateFile}`;
        expect(await psql(gateway, 'SELECT 1', words)).toBe('1');
      }
    });

    it('with direct TLS', async () => {
      const { gateway } = await start();
      const tls = await secure(await openSocket(gateway.port), {
        servername: HOST,
        ALPNProtocols: ['postgresql'],
      });
      tls.write(startPacket({ user: 'app', database: 'app' }));
      const [answer] = await once(tls, 'data');
      expect(String.fromCharCode(answer[0])).toBe('R');
    });
  });

  it('the other options reach the server', async () => {
    const { gateway } = await start();
    const PGOPTIONS = `-c work_mem=3MB endpoint=${ENDPOINT} -c app.note=a\\ b`;
    const query = "SELECT current_setting('work_mem') || ', ' || current_setting('app.note')";
    expect(await psql(gateway, query, 'sslmode=disable', { PGOPTIONS })).toBe('3MB, a b');
  });

  it.each(['', 'sslmode=disable', 'channel_binding=require'])(
    'refuses wrong passwords and unknown roles alike, and wakes none: %s',
    async (words) => {
      const { computes, gateway } = await start();
      computes.reach = () => expect.unreachable('no client has proved itself');
      computes.verifier = (id, role) => OneCompute.prototype.verifier.call(new OneCompute(''), id, role);
      const options = `${words} options=endpoint=${ENDPOINT}`;
      const wrong = psql(gateway, 'SELECT 1', options, { PGPASSWORD: 'wrong' });
      await expect(wrong).rejects.toThrow('FATAL:  password authentication failed for user "app"');
      const unknown = psql(gateway, 'SELECT 1', `${options} user=eve`);
      await expect(unknown).rejects.toThrow('FATAL:  password authentication failed for user "eve"');
    },
  );

  it('the server checks the proof as well: a stale password is refused', async () => {
    const { gateway } = await start();
    await postgres.query("ALTER ROLE app PASSWORD 'another'");
    onTestFinished(
      async () => void (await postgres.query(`ALTER ROLE app PASSWORD '${await storedPassword}'`)),
    );
    await expect(psql(gateway, 'SELECT 1')).rejects.toThrow('password authentication failed for user "app"');
  });

  describe('channel binding', () => {
    it.each(['', `host=localhost options=endpoint=${ENDPOINT}`])('psql may require it: %s', async (words) => {
      const { gateway } = await start();
      expect(await psql(gateway, 'SELECT 1', `${words} channel_binding=require`)).toBe('1');
    });

    it('node-postgres may use it', async () => {
      const { gateway } = await start();
      const options = { enableChannelBinding: true } as ClientConfig;
      const client = await connectClient(gateway, options);
      expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    });
  });

  describe('a password that names the endpoint', () => {
    const named = 'host=localhost dbname=app';

    it.each(['endpoint=ID;', 'endpoint=ID$', 'project=ID;', 'project=ID$'])('%s', async (prefix) => {
      const { gateway } = await start();
      const PGPASSWORD = `${prefix.replace('ID', ENDPOINT)}secret`;
      expect(await psql(gateway, 'SELECT 1', named, { PGPASSWORD })).toBe('1');
    });

    it.each([
      ['a wrong password', '', `endpoint=${ENDPOINT};wrong`, 'password authentication failed'],
      ['no endpoint', '', 'secret', 'endpoint ID is not specified'],
      ['another text', '', 'endpoint=../x;secret', 'is not the ID of an endpoint'],
      ['no TLS', 'sslmode=disable', `endpoint=${ENDPOINT};secret`, 'endpoint ID is not specified'],
    ])('refuses %s', async (_what, words, PGPASSWORD, message) => {
      const { gateway } = await start();
      await expect(psql(gateway, 'SELECT 1', `${named} ${words}`, { PGPASSWORD })).rejects.toThrow(message);
    });
  });

  it.each([
    ['two endpoints', 'options=endpoint=ep-other-one-12345678', 'name different endpoints'],
    ['an unknown endpoint', 'host=ep-other-one-12345678.x.postgres.localhost', 'does not exist'],
    ['no endpoint', 'host=localhost', 'endpoint ID is not specified'],
    ['no endpoint, without TLS', 'sslmode=disable', 'endpoint ID is not specified'],
    ['another option', 'host=localhost options=endpoint=../x', 'is not the ID of an endpoint'],
    [
      "a project's ID",
      'host=localhost options=project=calm-lake-12345678',
      '"project" is not the ID of an endpoint',
    ],
  ])('refuses %s', async (_what, words, message) => {
    const { gateway } = await start();
    await expect(psql(gateway, 'SELECT 1', words)).rejects.toThrow(message);
  });

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
