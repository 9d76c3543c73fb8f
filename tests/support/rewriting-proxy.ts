import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface ProxiedResponse {
  readonly status: number;
  readonly body: { readonly endpoints?: { readonly branch_id: string }[] } | '';
}

/** Starts a proxy to the emulator. `rewrite` may replace a response. */
export async function startProxy(
  target: string,
  rewrite: (method: string, path: string, response: ProxiedResponse) => ProxiedResponse | undefined,
) {
  const url = new URL(target);
  const server = createServer((req, res) => {
    const up = request(
      {
        host: url.hostname,
        port: url.port,
        method: req.method,
        path: req.url,
        headers: { ...req.headers, host: url.host },
      },
      async (incoming) => {
        let text = '';
        for await (const chunk of incoming) text += chunk;
        const response = { status: incoming.statusCode ?? 500, body: text && JSON.parse(text) };
        const { status, body } =
          rewrite(req.method ?? '', (req.url ?? '').replace(url.pathname, ''), response) ?? response;
        res
          .writeHead(status, { 'content-type': 'application/json' })
          .end(body === '' ? '' : JSON.stringify(body));
      },
    );
    req.pipe(up);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${url.pathname}`;
}
