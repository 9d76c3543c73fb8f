const EVERY_ADDRESS: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** How a URL on this machine names the address that the emulator listens on. */
export function localAddressOf(host: string): string {
  const address = EVERY_ADDRESS.get(host) ?? host;
  return address.includes(':') ? `[${address}]` : address;
}
