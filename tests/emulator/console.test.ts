import { get, type IncomingMessage } from 'node:http';
import { type Emulator, startEmulator } from 'postgres-control-emulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startConsole } from '../support/console-client';

const PAGE_FILES = ['/', '/console/theme.css', '/console/icon.svg', '/console/main.js', '/console/page.js'];

/** Sends a request with this Host header, which fetch does not let its caller set. */
async function askFor({ port, apiKey }: Emulator, path: string, host: string): Promise<IncomingMessage> {
  const headers = { host, authorization: `Bearer ${apiKey}` };
  return new Promise((resolve, reject) => {
    get({ port, path, headers, host: '127.0.0.1' }, (response) => resolve(response.resume())).on(
      'error',
      reject,
    );
  });
}

describe('the files of the console page', () => {
  it.each(PAGE_FILES)('%s needs no key and allows only scripts of the page', async (path) => {
    const { emulator } = await startConsole();
    const { status, headers } = await fetch(new URL(path, emulator.consoleUrl));
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy')?.split('; ');
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]),
    );
    expect(policy?.join()).not.toMatch(/unsafe|\*|data:|http/);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
  });

  it('the console HTML contains no inline script or style', async () => {
    const { emulator } = await startConsole();
    const html = await (await fetch(emulator.consoleUrl)).text();
    expect(html.match(/<script[^>]*>[^<]|<style|\sstyle=|\son\w+=|javascript:/gi)).toBeNull();
  });

  it('every file that the console HTML and scripts reference exists', async () => {
    const { emulator } = await startConsole();
    const seen = new Map<string, number>();
    const follow = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      const response = await fetch(new URL(path, emulator.consoleUrl));
      seen.set(path, response.status);
      const text = await response.text();
      const named = text.matchAll(/(?:src|href)="(\/[^"]*)"|from '\.(\/[\w-]+\.js)'/g);
      for (const [, url, module] of named) await follow(url ?? `/console${module}`);
    };
    await follow('/');
    expect([...seen].filter(([, status]) => status !== 200)).toEqual([]);
    expect(seen.size).toBeGreaterThan(PAGE_FILES.length);
  });

  it('the console serves no other file', async () => {
    const { emulator } = await startConsole();
    const { headers, statusCode } = await askFor(emulator, '/console/../package.json', 'localhost');
    expect([statusCode, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
  });
});

describe('access to the console data', () => {
  it.each([undefined, 'Bearer wrong', 'Basic a2V5'])(
    'the console data is refused for the Authorization header %s',
    async (authorization) => {
      const { emulator } = await startConsole();
      const { status, headers } = await fetch(
        new URL(`/console/events?key=${emulator.apiKey}`, emulator.consoleUrl),
        authorization === undefined ? {} : { headers: { authorization } },
      );
      expect([status, headers.get('x-content-type-options')]).toEqual([401, 'nosniff']);
    },
  );

  it.each(['localhost', 'localhost:8080', 'LOCALHOST:1', '127.0.0.1:8080', '127.8.8.8', '[::1]:8080'])(
    'the console accepts the Host header %s',
    async (host) => {
      const { emulator } = await startConsole();
      expect((await askFor(emulator, '/console/events', host)).statusCode).toBe(200);
    },
  );

  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example:80',
    '192.168.0.7',
    'x@localhost',
  ])('the console refuses the Host header %s, even with the key', async (host) => {
    const { emulator } = await startConsole();
    for (const path of ['/', '/console/events']) {
      expect((await askFor(emulator, path, host)).statusCode).toBe(403);
    }
  });

  it('with allowRemote, the console accepts addresses but no other names', async () => {
    const emulator = await startEmulator({ host: '0.0.0.0', allowRemote: true });
    onTestFinished(() => emulator.stop());
    const statuses = ['192.168.0.7:80', '[fe80::1]', 'evil.example'].map(
      async (host) => (await askFor(emulator, '/', host)).statusCode,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 403]);
  });

  it('the console sends no CORS headers to another origin', async () => {
    const { emulator } = await startConsole();
    const url = new URL('/console/events', emulator.consoleUrl);
    const origin = 'http://localhost:1';
    const requested = {
      'access-control-request-headers': 'authorization',
      'access-control-request-method': 'GET',
    };
    const responses = [
      await fetch(url, { method: 'OPTIONS', headers: { origin, ...requested } }),
      await fetch(url, { headers: { origin, authorization: `Bearer ${emulator.apiKey}` } }),
    ];
    expect(responses[0]?.ok).toBe(false);
    const names = responses.flatMap(({ headers }) => [...headers.keys()]);
    expect(names.filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

it('console requests are neither rate-limited nor logged', async () => {
  const { emulator, readView, call } = await startConsole({ requestsPerMinute: 1 });
  await readView();
  await readView();
  expect((await call('GET', '/projects')).status).toBe(200);
  expect(emulator.requests()).toHaveLength(1);
});

it.each([
  [{ apiKey: 'a+b&c#d' }, /^http:\/\/127\.0\.0\.1:\d+\/#key=a%2Bb%26c%23d$/],
  [{ apiKey: 'k', host: '0.0.0.0', allowRemote: true }, /^http:\/\/127\.0\.0\.1:\d+\/#key=k$/],
])('the console URL has the key in its fragment: %j', async (options, address) => {
  const emulator = await startEmulator(options);
  onTestFinished(() => emulator.stop());
  expect(emulator.consoleUrl).toMatch(address);
});
