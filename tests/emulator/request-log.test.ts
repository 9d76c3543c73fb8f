import { describe, expect, it } from 'vitest';
import { RequestLog } from '../../emulator/src/http/log-requests';
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
      { path: '/nowhere', status: 404 },
      { path: '/projects', status: 429 },
    ]);
  });
});

describe('the size of the request log', () => {
  it('the request log keeps the latest 10,000 requests', () => {
    const log = new RequestLog();
    const time = '2026-01-01T00:00:00.000Z';
    for (let index = 0; index < 10_005; index += 1)
      log.add({ method: 'POST', path: `/${index}`, query: '', time, requestId: 'id', status: 201 });
    const paths = log.list().map(({ path }) => path);
    expect([paths.length, paths[0], paths.at(-1)]).toEqual([10_000, '/5', '/10004']);
  });
});
