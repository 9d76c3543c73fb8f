import { describe, expect, it } from 'vitest';
import { startService } from '../support/service-client';

const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
const refusal = { request_id: expect.any(String), code: expect.any(String), message: expect.any(String) };

describe('an invalid request body gets an error body of the API', () => {
  it.each([
    ['no content', undefined, 400],
    ['the JSON value null', 'null', 400],
    ['a list instead of an object', '[]', 400],
    ['incomplete JSON', '{"endpoint":', 400],
    ['20,000 levels of nesting', `{"endpoint":${nested}}`, 400],
    ['a list of 400,001 entries', `{"endpoint":[${'0,'.repeat(400_000)}0]}`, 400],
    ['20,000 levels of nesting in an attribute', `{"endpoint":{"name":${nested}}}`, 400],
    ['2 MiB', `{"endpoint":"${'x'.repeat(2 ** 21)}"}`, 413],
  ])('rejects a body with %s', async (_case, body, expected) => {
    const { call, endpoints } = await startService();
    const response = await call('POST', endpoints, body);
    expect([response.status, response.body]).toEqual([expected, refusal]);
  });

  it('rejects a body with a content type other than JSON (415)', async () => {
    const { emulator, endpoints } = await startService();
    const response = await fetch(`${emulator.url}${endpoints}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'text/plain' },
      body: 'hello',
    });
    expect([response.status, await response.json()]).toEqual([415, refusal]);
  });
});

it('the request log survives a deeply nested body', async () => {
  const { emulator, call, endpoints } = await startService();
  await call('POST', endpoints, `{"endpoint":${nested}}`);
  expect(emulator.requests()).toMatchObject([{ status: 400 }]);
});

it('an attribute that the API does not describe is ignored', async () => {
  const { create } = await startService();
  expect((await create({ color: 'red' })).status).toBe(201);
});

it('a request without a key is 401, including requests to /admin', async () => {
  const { emulator } = await startService();
  for (const path of ['/api/v2/projects', '/admin/requests']) {
    expect((await fetch(new URL(path, emulator.url))).status).toBe(401);
  }
});

it('the response repeats the X-Request-ID that the client sends', async () => {
  const { emulator } = await startService();
  const headers = { authorization: `Bearer ${emulator.apiKey}`, 'x-request-id': 'mine-1' };
  const response = await fetch(`${emulator.url}/projects`, { headers });
  expect(response.headers.get('x-request-id')).toBe('mine-1');
});
