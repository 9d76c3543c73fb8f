import { Agent, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createControlPlane } from '../../emulator/src/control-plane/create-control-plane';
import { Controls } from '../../emulator/src/controls/controls';
import { createServer } from '../../emulator/src/http/server';
import { SERVER_LIMITS, type ServerLimits } from '../../emulator/src/http/server-limits';
import { resolveOptions } from '../../emulator/src/options/emulator-options';
import { RequestLog } from '../../emulator/src/requests/request-log';
import { startService } from '../support/service-client';

/** A bare connection that is closed after the test in any case. */
function openSocket(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  onTestFinished(() => {
    socket.destroy();
  });
  return socket;
}

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
    const socket = openSocket(port);
    trickle(socket, `${head('GET', '/projects')}X-Slow: `);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 408 [\s\S]*"code":"REQUEST_TIMEOUT"/);
    await expect.poll(countConnections).toBe(0);
  });

  it('disconnects a client whose body is never complete, and changes nothing', async () => {
    const { controls, port, countConnections } = await startLimited({ headersMs: 50, requestMs: 50 });
    const socket = openSocket(port);
    socket.write(`${head('POST', '/projects')}Content-Type: application/json\r\nContent-Length: 999\r\n\r\n`);
    trickle(socket, '{"project":{"name":"');
    expect(await text(socket)).toMatch(/^HTTP\/1.1 408 /);
    await expect.poll(countConnections).toBe(0);
    expect(controls.projects()).toEqual([]);
  });

  it('disconnects a client that does not read its responses', async () => {
    const { controls, port, countConnections } = await startLimited({ readingMs: 50 });
    for (let count = 0; count < 100; count += 1) controls.createProject({ name: 'x'.repeat(256) });
    const socket = openSocket(port).pause();
    socket.write(`${head('GET', '/projects?limit=100')}\r\n`.repeat(400));
    // It may be over between two looks at the connections.
    await expect.poll(() => controls.requests().length).toBeGreaterThan(0);
    await expect.poll(countConnections).toBe(0);
  });
});

it('closes the oldest connection when there are too many without a request', async () => {
  const { port, countConnections } = await startLimited({ newcomers: 1 });
  const oldest = openSocket(port);
  await expect.poll(countConnections).toBe(1);
  const next = openSocket(port);
  expect(await text(oldest)).toBe('');
  next.end(`${head('GET', '/projects')}Connection: close\r\n\r\n`);
  expect(await text(next)).toMatch(/^HTTP\/1.1 200 /);
});

describe('1,000 clients at once', () => {
  it('1,000 clients at once get their responses, despite slow clients', async () => {
    const { emulator, project, branch } = await startService({
      locks: 'none',
      maxEndpoints: 2000,
      operationMs: 5,
    });
    for (let slow = 0; slow < 100; slow += 1) {
      trickle(openSocket(emulator.port), `${head('GET', '/projects')}X-Slow: `);
      openSocket(emulator.port)
        .pause()
        .write(`${head('GET', '/projects')}\r\n`.repeat(50));
    }
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const call = (method: string, path: string, body = ''): Promise<{ id: string; status: string }[]> =>
      new Promise((resolve, reject) => {
        const headers = {
          authorization: `Bearer ${emulator.apiKey}`,
          ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        };
        const sent = httpRequest(`${emulator.url}${path}`, { method, headers, agent }, (response) => {
          text(response).then((json) => {
            const { operation, operations = [operation] } = JSON.parse(json);
            resolve(operations);
          }, reject);
        });
        sent.on('error', reject);
        sent.end(body);
      });
    const path = `/projects/${project.id}`;
    const create = JSON.stringify({ endpoint: { branch_id: branch.id, type: 'read_only' } });
    const runClient = async (): Promise<string> => {
      const [started] = await call('POST', `${path}/endpoints`, create);
      let operation = started;
      while (operation?.status === 'running') {
        [operation] = await call('GET', `${path}/operations/${started?.id}`);
      }
      expect(operation?.status).toBe('finished');
      return started?.id ?? '';
    };
    const ids = await Promise.all(Array.from({ length: 1000 }, runClient));
    const held = emulator.operations(project.id).map(({ id }) => id);
    expect(new Set(ids).size).toBe(1000);
    expect(held).toEqual(expect.arrayContaining(ids));
    expect(emulator.endpoints(project.id)).toHaveLength(1001);
  });
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

describe('no request gets a 5xx', () => {
  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY'])(
    '%s of any path with any body is not a 5xx',
    async (method) => {
      const { emulator, project, branch, createActive } = await startService({ locks: 'none' });
      const id = await createActive();
      const path = `/projects/${project.id}`;
      const endpoint = `${path}/endpoints/${id}`;
      const operation = emulator.operations(project.id)[0]?.id;
      // Paths that a DELETE removes come last.
      const paths = ['', '/projects', `${path}/operations`, `${path}/operations/${operation}`];
      paths.push(`${path}/endpoints`, `${endpoint}/start`, endpoint);
      paths.push(`${path}/branches`, `${path}/branches/${branch.id}`, path);
      const wrong = [null, true, 0, 'text', [], {}, [{}], { $: 1 }, '\u0000', -1e308, { length: -1 }];
      const bodies: unknown[] = [
        ...wrong,
        ...wrong.flatMap((value) => [{ endpoint: value }, { project: value }]),
      ];
      bodies.push(...wrong.map((value) => ({ endpoints: value, branch: value })));
      bodies.push(
        ...wrong.map((value) => ({ endpoint: { branch_id: value, type: value, settings: value } })),
      );
      for (const requested of paths) {
        for (const body of ['', '{', ...bodies.map((value) => JSON.stringify(value))]) {
          const status = await send(emulator.port, emulator.apiKey, method, `/api/v2${requested}`, body);
          expect([requested, body, status]).toEqual([
            requested,
            body,
            expect.toSatisfy((code) => code < 500),
          ]);
        }
      }
    },
  );
});

/** The status of the response. fetch rejects some of these methods, and bodies for others. */
function send(port: number, key: string, method: string, path: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const sent = httpRequest({ port, host: '127.0.0.1', method, path, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject).end(body);
  });
}
