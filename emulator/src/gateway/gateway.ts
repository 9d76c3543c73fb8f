import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createDriverServer } from '../driver/driver-server';
import { Newcomers } from '../limits/newcomers';
import { authenticate } from './authentication';
import { openCertificate } from './certificates';
import { ClientConnection, closeWithin, type Tunnel, whenClosed } from './client-connection';
import type { Computes } from './computes';
import { ConnectionRefusal } from './connection-refusal';
import { listen, portOf } from './listen';
import { connectToServer, passThrough, type Session, type SessionStart } from './session';
import { receiveStartup } from './startup-phase';
import { Turns } from './turns';

export interface GatewayOptions {
  readonly computes: Computes;
  /** A loopback address stands for both, 127.0.0.1 and ::1. @default '127.0.0.1' */
  readonly host?: string;
  /** 0 chooses a free port. @default 5432, or a free port when that is taken */
  readonly port?: number | undefined;
  /** The folder of the certificate, which is created there if there is none. */
  readonly folder: string;
  readonly limits?: Partial<GatewayLimits>;
}

export const GATEWAY_LIMITS = {
  /** Maximum time from the connection to the complete startup packet, TLS included, and then for the login. */
  startupMs: 10_000,
  /** Maximum number of clients that have not proved a password; one more, and the oldest is cut off. */
  newcomers: 1000,
  /** Maximum number of clients of one endpoint that have logged in. One that reads nothing stays until the compute is suspended. */
  clients: 1000,
  /** How long a client may take to read its last message and close the connection. */
  closingMs: 1000,
};
export type GatewayLimits = typeof GATEWAY_LIMITS;

/** Finds clients that vanished without a word, such as from a suspended container. */
const KEEP_ALIVE_AFTER_MS = 60_000;
const MOST_ATTEMPTS = 3;
const RETRY_AFTER_MS = 50;

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

/**
 * One port for the servers of all endpoints. A client names its endpoint by the host name of TLS, or by the option
 * `endpoint`, and proves that it knows the password; only then its compute wakes. After the login, the gateway only passes
 * bytes.
 * @throws Error when the port is taken, or the certificate cannot be used
 */
export async function startGateway(options: GatewayOptions) {
  const { computes, host = '127.0.0.1', folder } = options;
  const limits = { ...GATEWAY_LIMITS, ...options.limits };
  const certificate = await openCertificate(folder);
  const open = new Map<Duplex, () => void>();
  /** The sockets of the servers of the sessions, by the key with which a client cancels its query. */
  const socketsByKey = new Map<string, string>();
  const logins = new Turns();
  const { startupMs, closingMs } = limits;
  const newcomers = new Newcomers(limits.newcomers);
  /** Those that have logged in, by endpoint. */
  const clientsOf = new Map<string, Set<Duplex>>();
  const driver = await createDriverServer((stream, tunnel) => serve(stream, tunnel), startupMs);
  // Between two requests, it proves nothing.
  driver.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    response.once('close', () => newcomers.add(socket, () => socket.destroy()));
  });

  const serve = async (raw: Duplex, tunnel?: Tunnel): Promise<string | undefined> => {
    const client = new ClientConnection(raw, tunnel);
    open.set(raw, () => client.abort(new ConnectionRefusal('57P01', 'the emulator is stopping')));
    raw.once('close', () => {
      open.delete(raw);
      newcomers.admit(raw);
    });
    if (tunnel === undefined) newcomers.add(raw, () => client.abort(tooMany()));
    try {
      return await startUp(raw, client, tunnel?.socket ?? raw);
    } catch (error) {
      client.refuse(error, closingMs);
      return undefined;
    }
  };

  /** @param socket in which the connection is, perhaps in a tunnel */
  const startUp = async (raw: Duplex, client: ClientConnection, socket: Duplex) => {
    const received = receiveStartup(client, certificate, (key) => socketsByKey.get(key));
    const startup = await client.inTime(startupMs, 'startup packet', received);
    if (startup === 'cancel') return void closeWithin(client.stream, closingMs);
    if (startup === 'http') {
      open.set(raw, () => raw.destroy());
      newcomers.add(raw, () => raw.destroy());
      driver.emit('connection', raw);
      return undefined;
    }
    client.stream.write(startup.answer);
    const { endpointId, clientKey } = await authenticate(client, startup, computes, logins, startupMs);
    newcomers.admit(socket);
    client.signal.throwIfAborted();
    const clients = clientsOf.get(endpointId) ?? new Set();
    if (clients.size >= limits.clients) throw tooMany();
    clientsOf.set(endpointId, clients.add(raw));
    raw.once('close', () => clients.delete(raw));
    const start = { packet: startup.bytes, clientKey };
    const session = await connectToCompute(computes, endpointId, start, client.signal);
    const { cancelKey = '', path } = session;
    socketsByKey.set(cancelKey, path);
    const cut = (): void => closeWithin(session.server, closingMs);
    open.set(raw, cut);
    const { traffic, close } = computes.attach(endpointId, cut);
    // In the background: the startup ends here.
    void passThrough(client.stream, session, { traffic, closingMs }).then(() => {
      socketsByKey.delete(cancelKey);
      close();
    });
    return endpointId;
  };

  const servers = await listen(
    () =>
      createServer(
        { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_AFTER_MS },
        (socket: Socket) => void serve(socket),
      ),
    host,
    options.port,
  );
  const [first] = servers;
  if (first === undefined) throw new Error(`this machine has no loopback address ${host}`);
  return {
    port: portOf(first),
    /** In PEM. */
    certificateFile: certificate.certificateFile,
    /**
     * Refuses new clients and cuts off the others. Stop the servers first, so that clients read why. Resolves when every
     * connection is closed.
     */
    stop: async (): Promise<void> => {
      for (const server of servers) server.close();
      const closed = [...open.keys()].map(whenClosed);
      for (const stop of open.values()) stop();
      await Promise.all(closed);
    },
  };
}

/** A server may stop between its answer to `reach` and the connection: the compute then wakes again. */
async function connectToCompute(
  computes: Computes,
  endpointId: string,
  start: SessionStart,
  signal: AbortSignal,
): Promise<Session> {
  for (let attempt = 1; ; attempt += 1) {
    const path = await computes.reach(endpointId, signal);
    try {
      return await connectToServer(path, start, signal);
    } catch (error) {
      if (signal.aborted || attempt === MOST_ATTEMPTS) throw error;
      await delay(RETRY_AFTER_MS, undefined, { signal });
    }
  }
}

const tooMany = () => new ConnectionRefusal('53300', 'too many clients: try again');
