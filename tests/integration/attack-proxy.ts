import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';

export interface Exchange { method: string; path: string; status: number; headers: Record<string, string>; body: any }
/** A proxy in front of the emulator; `bend` may change an answer, or answer itself (before). */
export async function startProxy(target: string, bend: (x: Exchange, n: number) => Exchange | undefined | void, before?: (m: string, p: string) => Exchange | undefined) {
  const url = new URL(target);
  const log: string[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (c) => chunks.push(c)).on('end', () => {
      const method = req.method!; const path = req.url!.replace(url.pathname, '');
      log.push(`${method} ${path}`);
      const early = before?.(method, path);
      const send = (x: Exchange) => { const b = x.body === undefined ? '' : JSON.stringify(x.body); res.writeHead(x.status, { 'content-type': 'application/json', 'x-request-id': 'r', ...x.headers, 'content-length': Buffer.byteLength(b) }); res.end(b); };
      if (early) return send(early);
      const up = httpRequest({ host: url.hostname, port: url.port, method, path: req.url, headers: { ...req.headers, host: url.host } }, (ans: IncomingMessage) => {
        const parts: Buffer[] = [];
        ans.on('data', (c) => parts.push(c)).on('end', () => {
          const text = Buffer.concat(parts).toString();
          const x: Exchange = { method, path, status: ans.statusCode!, headers: {}, body: text ? JSON.parse(text) : undefined };
          send(bend(x, log.length) ?? x);
        });
      });
      up.on('error', () => res.destroy());
      up.end(Buffer.concat(chunks));
    });
  });
  await new Promise<void>((r) => server.listen(0, '127.0.0.1', r));
  onTestFinished(() => { server.closeAllConnections(); server.close(); });
  const { port } = server.address() as any;
  return { url: `http://127.0.0.1:${port}${url.pathname}`, log };
}
