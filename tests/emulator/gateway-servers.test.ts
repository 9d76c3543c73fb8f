import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openSocket, readRefusal } from '../support/raw-postgres-client';
import { logIn } from '../support/scram-client';
import { LET_IN, OneCompute, startGatewayTo, startServer, startTestGateway } from '../support/start-gateway';
import { makeTemporaryFolder } from '../support/temporary-folder';

it('lets in only so many clients that read nothing, until they are cut off', async () => {
  const { port, sockets, computes } = await startGatewayTo({ clients: 2, closingMs: 20 }, (socket) => {
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
  const clientsAfterLogin = async () => {
    await logIn(await openSocket(port));
    return computes.clients;
  };
  await expect.poll(clientsAfterLogin).toBeGreaterThan(0);
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
  const { port } = await startGatewayTo({}, (socket) => {
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
  const { port, computes } = await startGatewayTo({}, (socket) => {
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
  const { port, gateway } = await startGatewayTo({ closingMs: 20 }, (socket) => {
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
