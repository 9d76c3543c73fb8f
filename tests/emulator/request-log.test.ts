import { describe, expect, it } from 'vitest';
import { type LoggedRequest, RequestLog } from '../../emulator/src/requests/request-log';
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
    for (const path of ['/nowhere', '/projects']) await call('GET', path);
    expect(emulator.requests()).toMatchObject([
      { path: '/nowhere', status: 404 },
      { path: '/projects', status: 429 },
    ]);
  });
});

const request = (path: string): LoggedRequest => ({
  method: 'POST',
  path,
  query: '',
  time: '2026-01-01T00:00:00.000Z',
  requestId: 'id',
  status: 201,
});

describe('the size of the request log', () => {
  it('the request log keeps the latest 10,000 requests', () => {
    const log = new RequestLog();
    for (let index = 0; index < 10_005; index += 1) log.add(request(`/${index}`));
    const paths = log.list().map(({ path }) => path);
    expect([paths.length, paths[0], paths.at(-1)]).toEqual([10_000, '/5', '/10004']);
  });

  it('the request log holds 16 MiB, even if a request loses its body', () => {
    const log = new RequestLog();
    const mebibyte = 'x'.repeat(1024 * 1024);
    const first = request('/0');
    log.add(first);
    for (let index = 1; index <= 20; index += 1) {
      const added = request(`/${index}`);
      log.add(added);
      log.addBody(added, mebibyte);
    }
    log.addBody(first, mebibyte);
    expect(log.list().map(({ path }) => path)).toEqual(
      Array.from({ length: 15 }, (_, index) => `/${index + 6}`),
    );
    expect(first.body).toBeUndefined();
  });
});
