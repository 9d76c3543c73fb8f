import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { openSocket } from '../support/raw-postgres-client';
import { HOST, LET_IN, startGatewayTo } from '../support/start-gateway';

it('disconnects a client that never completes the headers of HTTP', async () => {
  const { port } = await startGatewayTo({ startupMs: 2000 });
  const socket = await openSocket(port);
  socket.write('POST /sql HTTP/1.1\r\n');
  const timer = setInterval(() => socket.write('X: y\r\n'), 20);
  onTestFinished(() => clearInterval(timer));
  expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 408 /);
  await once(socket, 'end');
});

it('closes a connection that sends a request before the last response', async () => {
  const { port } = await startGatewayTo();
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
  const { port, sockets } = await startGatewayTo();
  const socket = await openSocket(port);
  socket.write(LARGE_REQUEST);
  await expect.poll(() => sockets.size).toBe(1);
  socket.destroy();
  await expect.poll(() => sockets.size).toBe(0);
});

it('a body at /sql that does not come ends the request', async () => {
  const { port, sockets } = await startGatewayTo({ startupMs: 500 }, (socket) => {
    socket.resume().once('end', () => socket.end());
    socket.write(`${LET_IN}Z\0\0\0\x05I`);
  });
  const socket = await openSocket(port);
  socket.write(`${LARGE_REQUEST}{`);
  await once(socket.resume(), 'end');
  await expect.poll(() => sockets.size).toBe(0);
});
