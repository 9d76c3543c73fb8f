import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { onTestFinished } from 'vitest';
import { pluginDownloadURL } from '../../tools/schema/publication';

/** Serves the files of a folder on loopback, as a release server does, until the test has finished. */
export async function serveFiles(folder: string): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer(({ url = '/' }, response) => {
    const path = decodeURIComponent(new URL(url, 'http://loopback').pathname);
    requests.push(path);
    const file = join(folder, normalize(path));
    // In one piece, and so with a Content-Length, without which the CLI refuses a download.
    if (existsSync(file) && statSync(file).isFile()) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo; // Of a TCP server.
  return { url: `http://127.0.0.1:${port}`, requests };
}

/** The setting with which the CLI downloads the plugin from a server of the test, wherever a program says it is. */
export function downloadFrom(url: string): Record<string, string> {
  return { PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: `^${pluginDownloadURL}=${url}` };
}
