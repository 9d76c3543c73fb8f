import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';

/** A response. A body that is text is sent as it is. */
export interface ScriptedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object | string;
}

/** Starts a service that answers each GET as the script says, with its settings in the environment of the lookups. */
export async function startScriptedService(answer: (url: URL) => ScriptedResponse) {
  const urls: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    urls.push(url);
    const { status = 200, headers, body } = answer(new URL(url, 'http://service'));
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    vi.unstubAllEnvs();
  });
  const environment = {
    POSTGRES_COMPUTE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    POSTGRES_COMPUTE_API_KEY: 'key-of-this-test',
    POSTGRES_COMPUTE_PROJECT: 'old-sun-12345678',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return { environment, urls };
}
