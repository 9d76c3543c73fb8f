import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createControlPlane } from '../../emulator/src/control-plane/create-control-plane';
import { Controls } from '../../emulator/src/controls/controls';
import { RequestLog } from '../../emulator/src/http/log-requests';
import { createServer } from '../../emulator/src/http/server';
import { SERVER_LIMITS, type ServerLimits } from '../../emulator/src/http/server-limits';
import { resolveOptions } from '../../emulator/src/options/emulator-options';
import { openSocket } from '../support/raw-postgres-client';
import { sendRequest } from '../support/send-request';
import { startService } from '../support/service-client';

/** Sends a byte every few milliseconds until the server closes the connection. */
function trickle(socket: Socket, sent: string): void {
  let position = 0;
  const timer = setInterval(() => {
    if (!socket.writable) clearInterval(timer);
    else socket.write(sent.charAt(position) || 'x');
    position += 1;
  }, 5);
  onTestFinished(() => clearInterval(timer));
}

/** A server with limits short enough for a test. */
async function startLimited(limits: Partial<ServerLimits>) {
  const plane = createControlPlane(resolveOptions({ apiKey: 'key', locks: 'none' }));
  const log = new RequestLog();
  const controls = new Controls(plane, log);
  const stopped = new AbortController();
  const server = createServer({
    plane,
    controls,
    log,
    stopped: stopped.signal,
    limits: { ...SERVER_LIMITS, checkEveryMs: 10, ...limits },
  });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => server.close());
  const countConnections = () =>
    new Promise<number>((resolve, reject) => {
      server.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  return { controls, port: Number(new URL(url).port), countConnections };
}

const head = (method: string, path: string): string =>
  `${method} /api/v2${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer key\r\n`;

describe('a client that is too slow is disconnected', () => {
  it('disconnects a client whose headers are never complete', async () => {
    const { port, countConnections } = await startLimited({ headersMs: 50 });
    const socket = await openSocket(port);
    trickle(socket, `${head('GET', '/projects')}X-Slow: `);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 408 /);
    await expect.poll(countConnections).toBe(0);
  });

  it('disconnects a client whose body is never complete, and changes nothing', async () => {
    const { controls, port, countConnections } = await startLimited({ headersMs: 50, requestMs: 50 });
    const socket = await openSocket(port);
    socket.write(`${head('POST', '/projects')}Content-Type: application/json\r\nContent-Length: 999\r\n\r\n`);
    trickle(socket, '{"project":{"name":"');
    expect(await text(socket)).toMatch(/^HTTP\/1.1 408 /);
    await expect.poll(countConnections).toBe(0);
    expect(controls.projects()).toEqual([]);
  });

  it('disconnects a client that does not read its responses', async () => {
    const { controls, port, countConnections } = await startLimited({ readingMs: 50 });
    for (let count = 0; count < 100; count += 1) controls.createProject({ name: 'x'.repeat(256) });
    const socket = (await openSocket(port)).pause();
    socket.write(`${head('GET', '/projects?limit=100')}\r\n`.repeat(400));
    // It may be over between two looks at the connections.
    await expect.poll(() => controls.requests().length).toBeGreaterThan(0);
    await expect.poll(countConnections).toBe(0);
  });
});

it('closes the oldest connection when there are too many without a request', async () => {
  const { port, countConnections } = await startLimited({ newcomers: 1 });
  const oldest = await openSocket(port);
  await expect.poll(countConnections).toBe(1);
  const next = await openSocket(port);
  expect(await text(oldest)).toBe('');
  next.end(`${head('GET', '/projects')}Connection: close\r\n\r\n`);
  expect(await text(next)).toMatch(/^HTTP\/1.1 200 /);
});

it('1,000 clients at once get their responses, despite slow clients', async () => {
  const { emulator, project, branch, endpoints, settled } = await startService({
    locks: 'none',
    maxEndpoints: 2000,
    operationMs: 5,
  });
  for (let slow = 0; slow < 100; slow += 1) {
    trickle(await openSocket(emulator.port), `${head('GET', '/projects')}X-Slow: `);
    (await openSocket(emulator.port)).pause().write(`${head('GET', '/projects')}\r\n`.repeat(50));
  }
  const endpoint = { branch_id: branch.id, type: 'read_only' };
  const create = async () => (await sendRequest(emulator, 'POST', endpoints, { endpoint })).status;
  const statuses = await Promise.all(Array.from({ length: 1000 }, create));
  expect(new Set(statuses)).toEqual(new Set([201]));
  await settled();
  expect(emulator.endpoints(project.id)).toHaveLength(1001);
});

it('a list continues after the last project of a page is deleted', async () => {
  const { emulator, call, project } = await startService();
  const { id } = emulator.createProject();
  const { body } = await call('GET', '/projects?limit=1');
  await call('DELETE', `/projects/${project.id}`);
  await expect.poll(() => emulator.projects()).toHaveLength(1);
  const cursor = encodeURIComponent(body?.pagination.cursor ?? '');
  const next = await call('GET', `/projects?limit=1&cursor=${cursor}`);
  expect(next.body).toMatchObject({ projects: [{ id }] });
});

const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

it.skipIf(outside === undefined)('another address of this machine does not reach the emulator', async () => {
  const { emulator } = await startService();
  await expect(fetch(`http://${outside}:${emulator.port}/`)).rejects.toMatchObject({
    cause: { code: 'ECONNREFUSED' },
  });
});
