/** Whether it never leaves this machine. A URL has brought every spelling of an IPv4 address to the usual one. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
