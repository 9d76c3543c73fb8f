import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { startService } from '../support/service-client';

const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
const refusal = { request_id: expect.any(String), code: expect.any(String), message: expect.any(String) };

describe('a bad body is refused in the words of the API', () => {
  it.each([
    ['no body', undefined, 400],
    ['null', 'null', 400],
    ['a list', '[]', 400],
    ['half of an object', '{"endpoint":', 400],
    ['20,000 levels', `{"endpoint":${nested}}`, 400],
    ['20,000 levels in an attribute', `{"endpoint":{"name":${nested}}}`, 400],
    ['2 MiB', `{"endpoint":"${'x'.repeat(2 ** 21)}"}`, 413],
  ])('%s', async (_case, body, expected) => {
    const { call, endpoints } = await startService();
    const answer = await call('POST', endpoints, body);
    expect([answer.status, answer.body]).toEqual([expected, refusal]);
  });

  it('of another type than JSON', async () => {
    const { emulator, endpoints } = await startService();
    const answer = await fetch(`${emulator.url}${endpoints}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'text/plain' },
      body: 'hello',
    });
    expect([answer.status, await answer.json()]).toEqual([415, refusal]);
  });
});

it('a deeply nested body does not spoil the log of requests', async () => {
  const { emulator, call, endpoints } = await startService();
  await call('POST', endpoints, `{"endpoint":${nested}}`);
  expect(emulator.requests()).toMatchObject([{ status: 400 }]);
});

it.each([
  ['an id that is not URL-encoded', '/projects/%ZZ', 400],
  ['an id of 300 characters', `/projects/${'p'.repeat(300)}`, 414],
  ['a limit that is given twice', '/projects?limit=1&limit=2', 400],
  ['a cursor that is none', '/projects?cursor=nothing', 400],
])('%s is refused in the words of the API', async (_case, path, expected) => {
  const { call } = await startService();
  const answer = await call('GET', path);
  expect([answer.status, answer.body]).toEqual([expected, refusal]);
});

it.each(['yesterday', '2026-99-99T00:00:00Z', ''])(
  'the cursor of operations %j is refused',
  async (cursor) => {
    const { call, project } = await startService();
    const query = `?cursor=${encodeURIComponent(cursor)}`;
    expect((await call('GET', `/projects/${project.id}/operations${query}`)).status).toBe(400);
  },
);

it.each([
  ['something that is not HTTP', 'HELLO\r\n\r\n', 400],
  ['too large headers', `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
])('%s is refused in the words of the API', async (_case, sent, expected) => {
  const { emulator } = await startService();
  const socket = connect(emulator.port, '127.0.0.1');
  socket.write(sent);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${expected} [^]*X-Request-ID: `));
  expect(JSON.parse(body)).toEqual(refusal);
});

it('a request without a key is 401, also to the admin routes', async () => {
  const { emulator } = await startService();
  for (const path of ['/api/v2/projects', '/admin/requests']) {
    expect((await fetch(new URL(path, emulator.url))).status).toBe(401);
  }
});

it('a request id that the client sends comes back', async () => {
  const { emulator } = await startService();
  const headers = { authorization: `Bearer ${emulator.apiKey}`, 'x-request-id': 'mine-1' };
  const answer = await fetch(`${emulator.url}/projects`, { headers });
  expect(answer.headers.get('x-request-id')).toBe('mine-1');
});
