import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import type { Computes } from '../../emulator/src/gateway/computes';
import { CODES, openSocket, openTls, packet, readRefusal, secure } from '../support/raw-postgres-client';
import { logIn, saslInitial, VALID } from '../support/scram-client';
import {
  HOST,
  OneCompute,
  readToEnd,
  startGatewayTo,
  startServer,
  startTestGateway,
} from '../support/start-gateway';

const ALPNProtocols = ['postgresql'];

it.each([
  ['another protocol', Buffer.from('SSH-2.0-OpenSSH_9.9\r\n'), '08P01'],
  ['a negative length', Buffer.from('ffffffff00030000', 'hex'), '08P01'],
  ['a length of 0', Buffer.alloc(8), '08P01'],
  ['a length of 2 GB', Buffer.from('7fffffff00030000', 'hex'), '08P01'],
  ['a packet of more than 10,000 bytes', packet(CODES.version3, 'x'.repeat(9993)), '08P01'],
  ['a packet without parameters or end', packet(CODES.version3), '08P01'],
  ['no end', packet(CODES.version3, 'user\0app\0'), '08P01'],
  ['a name without a value', packet(CODES.version3, 'user\0\0'), '08P01'],
  ['text after the end', packet(CODES.version3, 'user\0app\0\0options\0x\0\0'), '08P01'],
  ['an SSLRequest that is too long', packet(CODES.ssl, 'x'), '08P01'],
  ['a second SSLRequest at once', Buffer.concat([packet(CODES.ssl), packet(CODES.ssl)]), '08P01'],
  ['plain text after an SSLRequest', Buffer.concat([packet(CODES.ssl), VALID]), '08P01'],
  ['plain text after a GSSENCRequest', Buffer.concat([packet(CODES.gss), VALID]), '08P01'],
  ['a cancel request without a key', packet(CODES.cancel, ''), '08P01'],
  ['a cancel request that is too long', packet(CODES.cancel, 'x'.repeat(300)), '08P01'],
  ['protocol 2', packet(2 << 16, 'user\0app\0\0'), '0A000'],
  ['protocol 4', packet(4 << 16, 'user\0app\0\0'), '0A000'],
  ['the superuser, named last', startPacketOf('user', 'app', 'user', 'cloud_admin'), '28000'],
  ['the superuser, named first', startPacketOf('user', 'cloud_admin', 'user', 'app'), '28000'],
])('refuses %s with a Postgres error', async (_what, bytes, sqlState) => {
  const { port, sockets } = await startGatewayTo();
  const socket = await openSocket(port);
  socket.write(bytes);
  const answer = await readRefusal(socket);
  expect(answer).toMatch(new RegExp(`^FATAL ${sqlState}: .`));
  expect(sockets.size).toBe(0);
});

function startPacketOf(...words: string[]): Buffer {
  return packet(CODES.version3, `${words.map((word) => `${word}\0`).join('')}\0`);
}

it('refuses TLS within TLS', async () => {
  const { port } = await startGatewayTo();
  const tls = await openTls(port, { servername: HOST });
  tls.write(packet(CODES.ssl));
  expect(await readRefusal(tls)).toMatch(/^FATAL 08P01/);
});

it('refuses direct TLS without ALPN', async () => {
  const { port } = await startGatewayTo();
  const tls = await secure(await openSocket(port), { servername: HOST });
  expect(await readRefusal(tls)).toMatch(/^FATAL 08P01/);
});

it('ends a TLS handshake with another protocol', async () => {
  const { port } = await startGatewayTo();
  await expect(secure(await openSocket(port), { ALPNProtocols: ['h2'] })).rejects.toThrow();
});

it.each([
  ['idkey...', 2],
  ['a guess.', 1],
])('a cancel request with the key %s makes %i connections to the server', async (key, count) => {
  let connections = 0;
  const { port, computes } = await startGatewayTo({}, (socket) => {
    connections += 1;
    readToEnd(socket);
  });
  await logIn(await openSocket(port));
  await expect.poll(() => computes.clients).toBe(1);
  const socket = await openSocket(port);
  socket.write(packet(CODES.cancel, key));
  await once(socket.resume(), 'end');
  expect(connections).toBe(count);
});

it('closes the connection when bytes of a TLS session are garbage', async () => {
  const { port, computes } = await startGatewayTo();
  const socket = await openSocket(port);
  const tls = await secure(socket, { servername: HOST, ALPNProtocols });
  await logIn(tls);
  await expect.poll(() => computes.clients).toBe(1);
  // Behind the back of TLS.
  socket.write(randomBytes(64));
  await expect.poll(() => computes.clients).toBe(0);
});

it.each([
  ['sends nothing', ''],
  ['never completes its packet', VALID.subarray(0, 20)],
  ['never begins the TLS that it asked for', packet(CODES.ssl)],
  ['never completes the TLS handshake', Buffer.from('1603010200010001fc', 'hex')],
  ['never logs in', VALID],
  ['never completes its login', Buffer.concat([VALID, saslInitial('SCRAM-SHA-256', 'n,,n=,r=x')])],
])('disconnects a client that %s', async (_what, bytes) => {
  const { port } = await startGatewayTo({ startupMs: 30 });
  const socket = await openSocket(port);
  socket.write(bytes);
  socket.resume();
  await once(socket, 'end');
});

it('tells a slow client why, inside of TLS', async () => {
  const { port } = await startGatewayTo({ startupMs: 2000 });
  const tls = await openTls(port, { servername: HOST });
  expect(await readRefusal(tls)).toBe('FATAL 08006: the startup packet was not complete within 2000 ms');
});

it('disconnects a client that does not read its refusal', async () => {
  const { port, gateway } = await startGatewayTo({ closingMs: 20 });
  const socket = await openSocket(port);
  socket.pause().write('GET / HTTP/1.1');
  // It never ends its own side; stop() waits for every connection.
  await gateway.stop();
});

it('cuts off the oldest of too many clients that have proved nothing', async () => {
  const { port, computes } = await startGatewayTo({ newcomers: 2 });
  const silent = [await openSocket(port), await openSocket(port)];
  await logIn(await openSocket(port));
  await expect.poll(() => computes.clients).toBe(1);
  expect(silent[0] && (await readRefusal(silent[0]))).toMatch(/^FATAL 53300/);
  const idle = await openSocket(port);
  idle.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(idle, 'data');
  const closed = once(idle.resume(), 'end');
  await Promise.all([openSocket(port), openSocket(port)]);
  await closed;
  expect(computes.clients).toBe(1);
});

it('wakes nothing for a client that has gone, and tells the compute', async () => {
  const signals: AbortSignal[] = [];
  const computes: Computes = {
    verifier: (id, role) => new OneCompute('').verifier(id, role),
    reach: (_endpointId, signal) => {
      signals.push(signal);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    attach: () => expect.unreachable('no client is connected'),
  };
  const gateway = await startTestGateway(computes, { limits: { clients: 3 } });
  const [closing, resetting, waiting] = await Promise.all([1, 2, 3].map(() => openSocket(gateway.port)));
  for (const socket of [closing, resetting, waiting]) if (socket) await logIn(socket);
  await expect.poll(() => signals.length).toBe(3);
  const another = await openSocket(gateway.port);
  await logIn(another);
  expect(await readRefusal(another)).toMatch(/^FATAL 53300/);
  closing?.end();
  resetting?.resetAndDestroy();
  await expect.poll(() => signals.filter(({ aborted }) => aborted).length).toBe(2);
  const answer = waiting && readRefusal(waiting);
  await gateway.stop();
  expect(await answer).toBe('FATAL 57P01: the emulator is stopping');
});

it('no socket, server or timer stays behind', async () => {
  const { Timeout: timersBefore = 0 } = countResources();
  const { gateway, computes, sockets } = await startGatewayTo({ closingMs: 60_000, startupMs: 60_000 });
  await Promise.all(
    Array.from({ length: 40 }, async (_none, index) => {
      const isPlain = index % 2 === 0;
      const socket = await (isPlain ? openSocket(gateway.port) : openTls(gateway.port, { servername: HOST }));
      if (index % 8 === 2 || index % 8 === 3) await logIn(socket);
      if (index % 8 > 5) socket.write(VALID.subarray(0, 15));
      readToEnd(socket);
      if (index % 5 === 0) socket.destroy();
    }),
  );
  await expect.poll(() => computes.clients).toBe(8);
  await gateway.stop();
  expect(computes.clients).toBe(0);
  await expect.poll(() => [sockets.size, countResources().TCPSocketWrap]).toEqual([0, undefined]);
  const { TCPServerWrap, Timeout = 0 } = countResources();
  expect(TCPServerWrap).toBeUndefined();
  expect(Timeout).toBeLessThanOrEqual(timersBefore);
});

/** What keeps the process alive, by kind. */
function countResources(): Partial<Record<string, number>> {
  const counts: Partial<Record<string, number>> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

it('wakes a compute again whose server stopped before the connection', async () => {
  const { path } = await startServer(readToEnd);
  const computes = new OneCompute(path);
  const paths = [`${path}-of-a-stopped-server`, path];
  computes.reach = async () => paths.shift() ?? '';
  const { port } = await startTestGateway(computes);
  await logIn(await openSocket(port));
  await expect.poll(() => computes.clients).toBe(1);
});
