import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { BACKLOG, explainTaken } from '../limits/listening';
import { hasCode } from '../records/thrown-reason';

/** The port of Postgres, which clients use for a host without a port. */
const STANDARD_PORT = 5432;
/** A port that is free on one loopback address may be taken on the other. */
const ATTEMPTS = 5;
const LOOPBACK = ['127.0.0.1', '::1'];
const TAKEN = ['EADDRINUSE', 'EACCES'];
const NO_SUCH_ADDRESS = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/**
 * Listens on a port. For a loopback address, that is the same port on both, where this machine has both: a host name of
 * the emulator may resolve to either.
 */
export async function listen(createServer: () => Server, host: string, port?: number): Promise<Server[]> {
  const isLoopback = host === 'localhost' || LOOPBACK.includes(host);
  const hosts = isLoopback ? LOOPBACK : [host];
  const free = Array.from({ length: ATTEMPTS }, () => 0);
  const ports = port === undefined ? [STANDARD_PORT, ...free] : port === 0 ? free : [port];
  for (const [index, candidate] of ports.entries()) {
    try {
      return await listenOn(createServer, hosts, candidate);
    } catch (error) {
      if (index === ports.length - 1 || !hasCode(error, ...TAKEN))
        throw explainTaken(error, '--postgres-port');
    }
  }
  return [];
}

async function listenOn(createServer: () => Server, hosts: readonly string[], port: number) {
  const servers: Server[] = [];
  let chosen = port;
  try {
    for (const host of hosts) {
      const server = createServer();
      try {
        await once(server.listen({ host, port: chosen, backlog: BACKLOG }), 'listening');
      } catch (error) {
        if (hosts.length > 1 && hasCode(error, ...NO_SUCH_ADDRESS)) continue;
        throw error;
      }
      servers.push(server);
      chosen = portOf(server);
    }
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
  return servers;
}

/** A server that listens on a port has an address with a port. */
export const portOf = (server: Server) => (server.address() as AddressInfo).port;
