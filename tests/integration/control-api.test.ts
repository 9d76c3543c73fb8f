import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startEmulator } from 'postgres-control-emulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ControlApi } from '../../provider/src/control-api/control-api';
import { ControlApiError } from '../../provider/src/control-api/control-api-error';

const retryPacing = { baseMs: 1, capMs: 5, unreachableMs: 50 };

async function startApi() {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.stop());
  return { emulator, api: new ControlApi({ baseUrl: emulator.url, apiKey: emulator.apiKey, retryPacing }) };
}

/** A server with responses of the test. Returns its port. */
async function listen(respond: RequestListener): Promise<number> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port; // A server that listens on a port has one.
}

async function startServer(respond: RequestListener, requestTimeoutMs = 20_000): Promise<ControlApi> {
  const baseUrl = `http://127.0.0.1:${await listen(respond)}/api/v2/`;
  return new ControlApi({ baseUrl, apiKey: 'canary-key', retryPacing, requestTimeoutMs });
}

describe('ControlApi', () => {
  it('lists branches', async () => {
    const { emulator, api } = await startApi();
    const project = emulator.createProject();
    const branch = emulator.createBranch(project.id);
    expect((await api.listBranches(project.id)).map(({ id }) => id)).toContain(branch.id);
  });

  it('makes every call for endpoints and operations', async () => {
    const { emulator, api } = await startApi();
    const project = emulator.createProject();
    const branch = emulator.createBranch(project.id);
    const allFinished = () =>
      expect
        .poll(() => emulator.operations(project.id).every(({ status }) => status === 'finished'))
        .toBe(true);
    const { endpoint, operations } = await api.createEndpoint(project.id, {
      branch_id: branch.id,
      type: 'read_write',
    });
    await allFinished();
    expect((await api.getEndpoint(project.id, endpoint.id)).current_state).toBe('active');
    expect((await api.listEndpoints(project.id)).map(({ id }) => id)).toContain(endpoint.id);
    expect((await api.updateEndpoint(project.id, endpoint.id, { name: 'api' })).endpoint.name).toBe('api');
    for (const verb of ['restart', 'suspend', 'start'] as const) {
      await allFinished();
      expect((await api.controlEndpoint(project.id, endpoint.id, verb)).operations.length).toBeGreaterThan(0);
    }
    await allFinished();
    const first = await api.listOperations(project.id, { limit: 1 });
    const cursor = first.pagination?.cursor ?? '';
    const second = await api.listOperations(project.id, { limit: 1, cursor });
    expect(second.operations[0]?.id).not.toBe(first.operations[0]?.id);
    expect((await api.getOperation(project.id, operations[0]?.id ?? '')).action).toBe('start_compute');
    expect((await api.deleteEndpoint(project.id, endpoint.id))?.endpoint.id).toBe(endpoint.id);
    await allFinished();
    expect(await api.deleteEndpoint(project.id, endpoint.id)).toBeUndefined();
  });
});

describe('ControlApi failures', () => {
  it('an error holds method, path, status, code, message and request id', async () => {
    const { api } = await startApi();
    const failure = await api.listEndpoints('none').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ControlApiError);
    expect(failure).toMatchObject({
      method: 'GET',
      path: '/projects/none/endpoints',
      status: 404,
      code: 'NOT_FOUND',
      reason: expect.stringContaining('none'),
      requestId: expect.any(String),
      meaning: 'refused',
    });
  });

  it('reports a refused connection after the retries', async () => {
    const api = new ControlApi({ baseUrl: 'http://127.0.0.1:9/api/v2', apiKey: 'k', retryPacing });
    await expect(api.listEndpoints('p-1')).rejects.toThrow(
      'GET /projects/p-1/endpoints: no usable response: connection refused',
    );
  });

  it('reports a response that does not arrive in time', async () => {
    const api = await startServer(() => undefined, 100);
    await expect(api.controlEndpoint('p-1', 'ep-1', 'start')).rejects.toThrow(
      'POST /projects/p-1/endpoints/ep-1/start: no usable response: no response within the time-out',
    );
  });

  it('reports a response that begins in time and never ends', async () => {
    const api = await startServer((_request, response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    }, 100);
    await expect(api.listOperations('p-1', {}, { isSentOnce: true })).rejects.toThrow(
      'no response within the time-out',
    );
  });

  it.each([
    ['not JSON', '<html>', /answered with no content type, not the API/],
    [
      'of another shape',
      '{"projects":[{}]}',
      /the response does not have the documented shape: ✖ Invalid input: .* → at operations$/,
    ],
  ])('reports a response that is %s', async (_case, body, message) => {
    const api = await startServer((_request, response) => response.end(body));
    await expect(api.listOperations('p-1', {}, { isSentOnce: true })).rejects.toThrow(message);
  });
});

it('treats a redirect as an error, and never sends the key to its target', async () => {
  let keySeen = '';
  const port = await listen((request, response) => {
    keySeen = request.headers.authorization ?? '';
    response.end('{}');
  });
  const api = await startServer((_request, response) =>
    response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end(),
  );
  await expect(api.listBranches('p-1')).rejects.toThrow(/GET \/projects\/p-1\/branches: 302 Found/);
  expect(keySeen).toBe('');
});

it('encodes ids in paths', async () => {
  let path = '';
  const api = await startServer((request, response) => {
    path = request.url ?? '';
    response.writeHead(404).end('{}');
  });
  await expect(api.getEndpoint('../keys', 'a/b')).rejects.toThrow('404');
  expect(path).toBe('/api/v2/projects/..%2Fkeys/endpoints/a%2Fb');
});

it.each(['', '.', '..'])('refuses the id "%s", which would address another resource', async (id) => {
  let requests = 0;
  const api = await startServer((_request, response) => {
    requests += 1;
    response.writeHead(404).end('{}');
  });
  await expect(api.controlEndpoint('p-1', id, 'restart')).rejects.toThrow(`"${id}" is not a valid id`);
  expect(requests).toBe(0);
});

it('does not redact the key in a response before it is parsed', async () => {
  const api = await startServer((_request, response) => {
    const state = {
      default: true,
      protected: false,
      current_state: 'ready',
      created_at: '2026-01-01T00:00:00Z',
    };
    const branch = { id: 'br-1', project_id: 'p-1', name: 'canary-key-1', ...state };
    response.end(JSON.stringify({ branches: [branch] }));
  });
  expect(await api.listBranches('p-1')).toMatchObject([{ id: 'br-1', name: 'canary-key-1' }]);
  expect(api.redact('canary-key-1')).toBe('***-1');
});

it('sends a content type only with a body', async () => {
  const seen: [string | undefined, string | undefined][] = [];
  const api = await startServer((request, response) => {
    seen.push([request.headers['content-type'], request.headers.accept]);
    response.writeHead(404).end('{}');
  });
  await api.createEndpoint('p-1', {}).catch(() => undefined);
  await api.controlEndpoint('p-1', 'ep-1', 'start').catch(() => undefined);
  expect(seen).toEqual([
    ['application/json', 'application/json'],
    [undefined, 'application/json'],
  ]);
});
