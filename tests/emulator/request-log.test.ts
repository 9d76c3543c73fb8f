import { describe, expect, it } from 'vitest';
import { startService } from '../support/service-client';

describe('the request log', () => {
  it('the request log omits requests without the key', async () => {
    const { emulator, call, endpoints } = await startService();
    await call('POST', `${endpoints}?secret=1`, { endpoint: {} }, 'wrong');
    await call('GET', '/nowhere', undefined, 'wrong');
    expect(emulator.requests()).toEqual([]);
  });

  it('the request log has rate-limited requests and unknown paths', async () => {
    const { emulator, call } = await startService({ requestsPerMinute: 1 });
    await call('GET', '/nowhere');
    const { headers } = await call('GET', '/projects');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(emulator.requests()).toMatchObject([
      { path: '/nowhere', status: 501 },
      { path: '/projects', status: 429 },
    ]);
  });
});

it.each([
  ['a length', () => 'x'.repeat(1_000_000), 33],
  ['chunks', () => new Blob(['{}']).stream(), 31],
])('the request log has 32 MiB of the latest requests: bodies with %s', async (_kind, makeBody, count) => {
  const { emulator } = await startService();
  const headers = { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'application/json' };
  for (let index = 0; index < 35; index += 1) {
    const options = { method: 'POST', headers, body: makeBody(), duplex: 'half' as const };
    await (await fetch(`${emulator.url}/${index}`, options)).arrayBuffer();
  }
  const paths = emulator.requests().map(({ path }) => path);
  expect([paths.length, paths.at(-1)]).toEqual([count, '/34']);
});
