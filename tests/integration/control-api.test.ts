import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ControlApi } from '../../provider/src/control-api/control-api';
import { findRefusal } from '../../provider/src/control-api/control-api-error';
import { errorOf } from '../support/failure';
import { selfSignedCertificate } from '../support/self-signed-certificate';

const retryPacing = { baseMs: 1, capMs: 5, unreachableMs: 50 };

/** Returns the server's port. */
async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port; // A server that listens on a port has one.
}

async function startServer(respond: RequestListener, requestTimeoutMs = 20_000): Promise<ControlApi> {
  const baseUrl = `http://127.0.0.1:${await listen(createServer(respond))}/api/v2/`;
  return new ControlApi({ baseUrl, apiKey: 'canary-key', retryPacing, requestTimeoutMs });
}

describe('ControlApi failures', () => {
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
    ['not JSON', 200, '<html>', /answered with no content type, not the API/],
    [
      'of another shape',
      200,
      '{"projects":[{}]}',
      /the response does not have the documented shape: ✖ Invalid input: .* → at operations; answered with .* not the API/,
    ],
    ['204, without a body', 204, '', /does not have the documented shape/],
  ])('reports a response that is %s', async (_case, status, body, message) => {
    const api = await startServer((_request, response) => response.writeHead(status).end(body));
    await expect(api.listOperations('p-1', {}, { isSentOnce: true })).rejects.toThrow(message);
  });

  it('takes other JSON for a sign-in page until the service has answered', async () => {
    let body: object = { login: 'required' };
    const api = await startServer((_request, response) => response.end(JSON.stringify(body)));
    const refusal = findRefusal(await errorOf(api.listOperations('p-1')));
    expect(refusal?.message).toContain('not the API: does a proxy respond in its place');
    body = { operations: [] };
    await api.listOperations('p-1');
    body = { login: 'required' };
    const fault = await errorOf(api.listOperations('p-1'));
    expect(fault.message).toMatch(/documented shape: .* → at operations$/);
    expect(findRefusal(fault)).toBeUndefined();
  });
});

it('treats a redirect as an error, and never sends the key to its target', async () => {
  let keySeen = '';
  const target = createServer((request, response) => {
    keySeen = request.headers.authorization ?? '';
    response.end('{}');
  });
  const port = await listen(target);
  const api = await startServer((_request, response) =>
    response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end(),
  );
  await expect(api.listBranches('p-1')).rejects.toThrow(/GET \/projects\/p-1\/branches: 302 Found/);
  expect(keySeen).toBe('');
});

it('never sends the key to a server whose certificate is not trusted', async () => {
  let requests = 0;
  const server = createTlsServer(selfSignedCertificate, (_request, response) => {
    requests += 1;
    response.end('{}');
  });
  const baseUrl = `https://127.0.0.1:${await listen(server)}/api/v2`;
  const api = new ControlApi({ baseUrl, apiKey: 'canary-key', retryPacing });
  await expect(api.listBranches('p-1')).rejects.toThrow(/is not trusted \(self-signed/);
  expect(requests).toBe(0);
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
