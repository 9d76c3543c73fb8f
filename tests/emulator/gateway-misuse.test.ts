import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Computes } from '../../emulator/src/gateway/computes';
import type { GatewayLimits } from '../../emulator/src/gateway/gateway';
import {
  CODES,
  openSocket,
  openTls,
  packet,
  readRefusal,
  secure,
  startPacket,
} from '../support/raw-postgres-client';
import { answer, logIn, readChallenge, saslFinal, saslInitial, VALID } from '../support/scram-client';
import { ENDPOINT, HOST, OneCompute, startTestGateway } from '../support/start-gateway';
import { makeTemporaryFolder } from '../support/temporary-folder';

const ALPNProtocols = ['postgresql'];

/** A server that does with a connection what the test needs: a Postgres never would. */
async function startServer(handle: (socket: Socket) => void) {
  const path = join(makeTemporaryFolder(), 'socket');
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    handle(socket);
  });
  await once(server.listen(path), 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { path, sockets };
}

/** AuthenticationOk and BackendKeyData. */
const LET_IN = 'R\0\0\0\x08\0\0\0\0K\0\0\0\x0cidkey...';
/** Lets everyone in. */
const readToEnd = (socket: Socket) => {
  socket.resume().once('end', () => socket.end());
  socket.write(LET_IN);
};

/** A gateway to a server that only reads. */
async function start(limits: Partial<GatewayLimits> = {}, handle = readToEnd) {
  const { path, sockets } = await startServer(handle);
  const computes = new OneCompute(path);
  const gateway = await startTestGateway(computes, { limits });
  return { computes, gateway, port: gateway.port, sockets };
}

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
  const { port, sockets } = await start();
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
  const { port } = await start();
  const tls = await openTls(port, { servername: HOST });
  tls.write(packet(CODES.ssl));
  expect(await readRefusal(tls)).toMatch(/^FATAL 08P01/);
});

it('refuses direct TLS without ALPN', async () => {
  const { port } = await start();
  const tls = await secure(await openSocket(port), { servername: HOST });
  expect(await readRefusal(tls)).toMatch(/^FATAL 08P01/);
});

it('ends a TLS handshake with another protocol', async () => {
  const { port } = await start();
  await expect(secure(await openSocket(port), { ALPNProtocols: ['h2'] })).rejects.toThrow();
});

it.each([
  ['idkey...', 2],
  ['a guess.', 1],
])('a cancel request with the key %s makes %i connections to the server', async (key, count) => {
  let connections = 0;
  const { port, computes } = await start({}, (socket) => {
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
  const { port, computes } = await start();
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
  const { port } = await start({ startupMs: 30 });
  const socket = await openSocket(port);
  socket.write(bytes);
  socket.resume();
  await once(socket, 'end');
});

it('disconnects a client that never completes the headers of HTTP', async () => {
  const { port } = await start({ startupMs: 100 });
  const socket = await openSocket(port);
  socket.write('POST /sql HTTP/1.1\r\n');
  const timer = setInterval(() => socket.write('X: y\r\n'), 20);
  onTestFinished(() => clearInterval(timer));
  expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 408 /);
  await once(socket, 'end');
});

it('closes a connection that sends a request before the last response', async () => {
  const { port } = await start();
  const socket = await openSocket(port);
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
  });
  socket.write('POST /sql HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n'.repeat(2));
  await once(socket, 'end');
  expect(received).toBe('');
});

const LARGE_REQUEST = `POST /sql HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\nNeon-Raw-Text-Output: true\r\nNeon-Connection-String: postgres://app:secret@${HOST}/app\r\n\r\n`;

it('a request at /sql ends with its client, also before it has logged in', async () => {
  const { port, sockets } = await start();
  const socket = await openSocket(port);
  socket.write(LARGE_REQUEST);
  await expect.poll(() => sockets.size).toBe(1);
  socket.destroy();
  await expect.poll(() => sockets.size).toBe(0);
});

it('a body at /sql that does not come ends the request', async () => {
  const { port, sockets } = await start({ startupMs: 500 }, (socket) => {
    socket.resume().once('end', () => socket.end());
    socket.write(`${LET_IN}Z\0\0\0\x05I`);
  });
  const socket = await openSocket(port);
  socket.write(`${LARGE_REQUEST}{`);
  await once(socket.resume(), 'end');
  await expect.poll(() => sockets.size).toBe(0);
});

it('tells a slow client why, inside of TLS', async () => {
  const { port } = await start({ startupMs: 100 });
  const tls = await openTls(port, { servername: HOST });
  expect(await readRefusal(tls)).toBe('FATAL 08006: the startup packet was not complete within 100 ms');
});

it('disconnects a client that does not read its refusal', async () => {
  const { port, gateway } = await start({ closingMs: 20 });
  const socket = await openSocket(port);
  socket.pause().write('GET / HTTP/1.1');
  // It never ends its own side; stop() waits for every connection.
  await gateway.stop();
});

it('cuts off the oldest of too many clients that have proved nothing', async () => {
  const { port, computes } = await start({ newcomers: 2 });
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
    hasHosts: () => true,
    verifier: (id, role) => new OneCompute('').verifier(id, role),
    reach: (_endpointId, signal) => {
      signals.push(signal);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    attach: () => expect.unreachable('no client is connected'),
  };
  const gateway = await startTestGateway(computes, { limits: { waitingClients: 3 } });
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

it('lets in only so many clients that read nothing, until they are cut off', async () => {
  const { port, sockets, computes } = await start({ sessions: 2, closingMs: 20 }, (socket) => {
    socket.write(LET_IN);
    // More than the gateway and the system hold for a client that does not read: the end is behind it.
    socket.end(Buffer.alloc(32 * 1024 * 1024));
  });
  for (const _client of [1, 2]) await logIn(await openSocket(port));
  await expect.poll(() => sockets.size).toBe(2);
  const another = await openSocket(port);
  await logIn(another);
  expect(await readRefusal(another)).toMatch(/^FATAL 53300/);
  for (const cut of computes.cuts) cut();
  await expect.poll(() => computes.clients).toBe(0);
});

it.each([
  ['is not there', () => join(makeTemporaryFolder(), 'none')],
  ['closes at once', async () => (await startServer((socket) => socket.destroy())).path],
])('a server that %s: the client may connect again', async (_what, pathOf) => {
  const computes = new OneCompute(await pathOf());
  const { port } = await startTestGateway(computes);
  const socket = await openSocket(port);
  await logIn(socket);
  expect(await readRefusal(socket)).toMatch(/^FATAL 57P03: .* connect again/);
  expect(computes.clients).toBe(0);
});

it("a server's last message arrives although the client still writes", async () => {
  const reason = Buffer.from('E\0\0\0\x0aSFATAL', 'latin1');
  const { port } = await start({}, (socket) => {
    socket.once('data', () => {
      // With bytes that it has not read, a server resets the connection.
      socket.pause();
      socket.write(LET_IN);
      setTimeout(() => socket.end(reason, () => socket.destroy()), 20);
    });
  });
  for (let round = 0; round < 20; round += 1) {
    const socket = await openSocket(port);
    await logIn(socket);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    const writing = setInterval(() => socket.write('x'), 1);
    await once(socket, 'end');
    clearInterval(writing);
    expect(Buffer.concat(chunks).subarray(-reason.length)).toEqual(reason);
  }
});

it('passes on what a server reports at the login, however long', async () => {
  const notice = Buffer.alloc(3 * 1024 * 1024, 'x');
  notice.write('N', 'latin1');
  notice.writeInt32BE(notice.length - 1, 1);
  const { port, computes } = await start({}, (socket) => {
    socket.resume().write(LET_IN.slice(0, 9));
    socket.write(notice);
    socket.write(LET_IN.slice(9));
  });
  const socket = await openSocket(port);
  await logIn(socket);
  let received = 0;
  socket.on('data', ({ length }: Buffer) => {
    received += length;
  });
  await expect.poll(() => received).toBeGreaterThanOrEqual(notice.length + LET_IN.length);
  expect(computes.clients).toBe(1);
});

it('a server that does not read holds the client back', async () => {
  const { port, gateway } = await start({ closingMs: 20 }, (socket) => {
    socket.pause().write(LET_IN);
  });
  const socket = await openSocket(port);
  await logIn(socket);
  const chunk = Buffer.alloc(1024 * 1024);
  let taken = 0;
  // Buffers of the kernel and of four streams, not 64 MB.
  while (taken < 64 && socket.writableLength === 0) {
    socket.write(chunk);
    taken += 1;
    await Promise.race([once(socket, 'drain'), sleep(100)]);
  }
  expect(socket.writableLength).toBeGreaterThan(0);
  await gateway.stop();
});

it('no socket, server or timer stays behind', async () => {
  const { Timeout: timersBefore = 0 } = countResources();
  const { gateway, computes, sockets } = await start({ closingMs: 60_000, startupMs: 60_000 });
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

describe('a login', () => {
  const first = 'n,,n=,r=nonce';
  const plain = (text: string) => saslInitial('SCRAM-SHA-256', text);

  it.each([
    ['a query', Buffer.from('Q\0\0\0\x0dSELECT 1\0'), '08P01'],
    ['a password in clear', answer('secret\0'), '08P01'],
    ['another mechanism', saslInitial('SCRAM-SHA-1', first), '08P01'],
    [
      'a mechanism that was not offered',
      saslInitial('SCRAM-SHA-256-PLUS', `p=tls-server-end-point,,n=,r=x`),
      '08P01',
    ],
    ['channel binding with the plain mechanism', plain('p=tls-server-end-point,,n=,r=x'), '08P01'],
    ['a name to act as', plain('n,a=eve,n=,r=x'), '0A000'],
    ['no nonce', plain('n,,n=,r='), '08P01'],
    ['an extension', plain('n,,m=x,n=,r=x'), '08P01'],
    ['an empty message', answer(''), '08P01'],
    ['a length that is too short', Buffer.from('p\0\0\0\x03'), '08P01'],
    ['a length of 2 GB', Buffer.from('p\x7f\xff\xff\xff', 'latin1'), '08P01'],
    ['a length of the text that is wrong', answer('SCRAM-SHA-256\0', '\0\0\0\xff', first), '08P01'],
  ])('refuses %s', async (_what, bytes, sqlState) => {
    const { port, sockets } = await start();
    const socket = await openSocket(port);
    socket.write(Buffer.concat([VALID, bytes]));
    expect(await readRefusal(socket)).toMatch(new RegExp(`^FATAL ${sqlState}: .`));
    expect(sockets.size).toBe(0);
  });

  it.each([
    ['a proof for another nonce', (final: string) => final.replace(',r=nonce', ',r=other'), '08P01'],
    ['a proof that is too short', (final: string) => final.replace(/p=.*/, 'p=AAAA'), '28P01'],
    ['no proof', (final: string) => final.replace(/,p=.*/, ''), '08P01'],
    ['another channel binding', (final: string) => final.replace('c=biws', 'c=eSws'), '28000'],
  ])('refuses %s', async (_what, change, sqlState) => {
    const { port, sockets } = await start();
    const socket = await openSocket(port);
    socket.write(VALID);
    await once(socket, 'data');
    socket.write(plain(first));
    const challenge = await readChallenge(socket);
    socket.write(answer(change(saslFinal('n=,r=nonce', challenge))));
    expect(await readRefusal(socket)).toMatch(new RegExp(`^FATAL ${sqlState}: .`));
    expect(sockets.size).toBe(0);
  });

  it('refuses the proof of another login', async () => {
    const { port, sockets } = await start();
    const proof = await logIn(await openSocket(port));
    await expect.poll(() => sockets.size).toBe(1);
    const socket = await openSocket(port);
    socket.write(Buffer.concat([VALID, plain(first)]));
    await once(socket, 'data');
    socket.write(proof);
    expect(await readRefusal(socket)).toMatch(/^FATAL 08P01: .*nonce/);
    expect(sockets.size).toBe(1);
  });

  it('refuses a client whose channel binding was stripped, over TLS', async () => {
    const { port } = await start();
    const tls = await openTls(port, { servername: HOST });
    tls.write(Buffer.concat([startPacket({ user: 'app' }), plain('y,,n=,r=x')]));
    expect(await readRefusal(tls)).toMatch(/^FATAL 28000: SCRAM channel binding negotiation error/);
  });

  it('refuses a proof that is bound to another TLS connection', async () => {
    const { port } = await start();
    const tls = await openTls(port, { servername: HOST });
    const header = 'p=tls-server-end-point,,';
    tls.write(startPacket({ user: 'app' }));
    await once(tls, 'data');
    tls.write(saslInitial('SCRAM-SHA-256-PLUS', `${header}n=,r=nonce`));
    const binding = Buffer.concat([Buffer.from(header), randomBytes(32)]).toString('base64');
    tls.write(answer(saslFinal('n=,r=nonce', await readChallenge(tls), 'secret', binding)));
    expect(await readRefusal(tls)).toMatch(/^FATAL 28000: SCRAM channel binding check failed/);
  });

  it('answers a later protocol with 3.0', async () => {
    const { port } = await start();
    const socket = await openSocket(port);
    socket.write(
      packet((3 << 16) + 2, Buffer.from(`user\0app\0_pq_.x\0y\0options\0endpoint=${ENDPOINT}\0\0`)),
    );
    const [bytes] = await once(socket, 'data');
    expect(bytes.toString('latin1', 0, 20)).toBe('v\0\0\0\x13\0\x03\0\0\0\0\0\x01_pq_.x\0');
  });
});
