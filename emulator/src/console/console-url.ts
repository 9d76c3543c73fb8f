const EVERY_ADDRESS: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** The key is in the fragment, which browsers do not send: neither the server's log nor another page receives it. */
export function consoleUrlOf(host: string, port: number, apiKey: string): string {
  const address = EVERY_ADDRESS.get(host) ?? host;
  const name = address.includes(':') ? `[${address}]` : address;
  return `http://${name}:${port}/#key=${encodeURIComponent(apiKey)}`;
}
