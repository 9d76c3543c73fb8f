import { once } from 'node:events';
import { neon, neonConfig } from '@neondatabase/serverless';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { hasPostgres, PostgresEmulator, usePostgres } from '../support/postgres-emulator';
import { openSocket } from '../support/raw-postgres-client';

describe.skipIf(!hasPostgres)('the port for SQL over HTTP', () => {
  const service = usePostgres({ operationMs: 10 });
  let uri: string;
  beforeAll(async () => {
    ({ uri } = await service().createProject());
    neonConfig.fetchEndpoint = (_host, port) => `http://localhost:${port}/sql`;
  });
  const portOf = () => service().emulator.postgresPort ?? 0;

  const as = (connection: string) => post('', { 'neon-connection-string': connection });
  const values = `{"query":"","params":[[${'{},'.repeat(32_767)}{}]]}`;
  const nested = `{"query":"","params":[${'['.repeat(60_000)}${']'.repeat(60_000)}]}`;
  it.each<[string, RequestInit, string, string?]>([
    ['another path', {}, '404 ROUTE_NOT_FOUND', '/other'],
    ['a GET', {}, '404 ROUTE_NOT_FOUND'],
    ['a body that is not JSON', post('{'), '400 BAD_REQUEST'],
    ['values that are not text', { method: 'POST', body: '{}' }, '501 NOT_SERVED'],
    ['a token', post('{}', { authorization: 'Bearer x' }), '501 NOT_SERVED'],
    ['no query', post('{}'), '400 BAD_REQUEST'],
    ['queries that are none', post('{"queries":[0]}'), '400 BAD_REQUEST'],
    ['more than 65,535 values', post(values), '413 BODY_TOO_LARGE'],
    ['nested values', post(nested), '400 BAD_REQUEST'],
    ['another isolation', post('{"queries":[]}', { 'neon-batch-isolation-level': 'x' }), '400 BAD_REQUEST'],
    ['no connection string', as(''), '400 BAD_REQUEST'],
    ['a malformed one', as('postgres://%ff@x'), '400 BAD_REQUEST'],
    // The operator may have set PGPASSWORD.
    ['one without a password', as('postgres://app_owner@x/app'), '400 BAD_REQUEST'],
    ['a body of more than 1 MiB', post('x'.repeat(1024 ** 2 + 1)), '413 BODY_TOO_LARGE'],
  ])('refuses %s', async (_what, init, expected, path = '/sql') => {
    const headers = { 'neon-connection-string': uri, ...init.headers };
    const response = await fetch(`http://localhost:${portOf()}${path}`, { ...init, headers });
    const { code } = (await response.json()) as { code: string };
    expect(`${response.status} ${code}`).toBe(expected);
  });

  it.each([
    ['POST /sql', /^HTTP\/1.1 400 .*password authentication failed/s],
    ['POST /other', /^HTTP\/1.1 404 /],
    ['OPTIONS /sql', /^HTTP\/1.1 204 /],
  ])('%s does not read a body before the login', async (call, expected) => {
    const socket = await openSocket(portOf());
    const wrong = `Neon-Connection-String: ${uri.replace('@', 'x@')}`;
    socket.write(
      `${call} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nNeon-Raw-Text-Output: true\r\n${wrong}\r\nContent-Length: 9000000\r\n\r\n{`,
    );
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(expected);
  });

  it('reads no message of more than 10 MiB over a WebSocket', async () => {
    const socket = new WebSocket(`ws://localhost:${portOf()}/v2`);
    onTestFinished(() => socket.terminate());
    await once(socket, 'open');
    socket.send(Buffer.alloc(11 * 1024 ** 2));
    expect((await once(socket, 'close'))[0]).toBe(1009);
  });

  it('disconnects a WebSocket with more than 64 KiB before the login', async () => {
    const socket = new WebSocket(`ws://localhost:${portOf()}/v2`);
    onTestFinished(() => socket.terminate());
    await once(socket, 'open');
    socket.send(Buffer.alloc(100_000), { fin: false });
    await once(socket, 'close');
  });

  it.each([':bad', '//', 'http://[', '/v2?%zz', '/other', '*'])(
    'survives an upgrade of %j',
    async (target) => {
      const socket = await openSocket(portOf());
      socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1.1 4\d\d /);
      expect(await neon(uri)`SELECT 1 AS one`).toEqual([{ one: 1 }]);
    },
  );

  it('a page of another origin may ask', async () => {
    const url = `http://localhost:${portOf()}/sql`;
    const { status, headers } = await fetch(url, { method: 'OPTIONS' });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  });

  it.each(['GET /v2 HTTP/1.1\r\n', 'POST /sql HTTP/1.1\r\nContent-Length: 5\r\n\r\n{'])(
    'the emulator stops although a client has only sent %j',
    async (text) => {
      const own = await PostgresEmulator.start();
      const socket = await openSocket(own.emulator.postgresPort ?? 0);
      socket.write(text);
      const webSocket = new WebSocket(`ws://localhost:${own.emulator.postgresPort}/v2`);
      onTestFinished(() => webSocket.terminate());
      webSocket.on('error', () => undefined);
      await new Promise((resolve) => webSocket.once('open', resolve));
      await own.emulator.stop();
    },
  );
});

function post(body: string, headers = {}): RequestInit {
  return { method: 'POST', body, headers: { 'neon-raw-text-output': 'true', ...headers } };
}
