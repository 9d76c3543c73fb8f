import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { Client } from 'pg';
import { type Accept, type Tunnel, whenClosed } from '../gateway/client-connection';
import { int32 } from '../gateway/messages';
import { REQUEST_CODES } from '../gateway/startup-packet';
import type { Turns } from '../gateway/turns';
import { ApiError, badRequest } from '../records/api-error';

/** The limit of the results of a request, as Postgres sends them and as JSON, and of a WebSocket message, in bytes. */
export const LARGEST = 10 * 1024 * 1024;
/** So many bytes any client may send, and any request may return, without waiting for its turn. */
export const SMALL = 64 * 1024;

/** How long the large results of a request may take. Later ones of the endpoint wait for them. */
const LONGEST_TURN_MS = 20_000;

/** A login for one request to `/sql`. */
export interface SqlSession {
  readonly client: Client;
  /**
   * Resolves when the endpoint's earlier large requests are over; later ones wait for this one. Until then, no more is
   * read from Postgres. Always the same promise.
   */
  readonly waitForTurn: () => Promise<void>;
}

/**
 * Logs in for a request to `/sql`. The session ends with the request.
 * @param largeRequests of which one at a time fills memory
 * @throws DatabaseError from Postgres or the gateway; ApiError for a request that is not served
 */
export async function openSession(
  { headers, socket }: IncomingMessage,
  response: ServerResponse,
  accept: Accept,
  largeRequests: Turns,
): Promise<SqlSession> {
  if (headers['neon-raw-text-output'] !== 'true') {
    throw notServed('only values as text are served: send Neon-Raw-Text-Output: true');
  }
  if (headers.authorization !== undefined) throw notServed('authToken is not served: use a password');
  const { serverName, ...login } = connectionOf(headers['neon-connection-string']);
  const { stream, endpointId } = connectInside(accept, { serverName, socket });
  const client = new Client({ ...login, stream: () => stream, ssl: false });
  client.on('error', () => undefined); // The query under way fails, too.
  let isIn = false;
  const leave = (): void => {
    if (isIn) void cancel(client, accept, socket).then(() => client.end());
    else stream.destroy();
  };
  socket.once('close', leave);
  client.once('end', () => socket.off('close', leave));
  if (socket.destroyed) leave();
  await client.connect();
  isIn = true;
  const id = (await endpointId) ?? '';
  let turn: Promise<void> | undefined;
  const waitForTurn = (): Promise<void> => {
    turn ??= new Promise((resolve) => {
      stream.pause();
      void largeRequests.take(id, () => {
        // Otherwise the client has gone, and its session ends.
        if (!response.closed) {
          stream.resume();
          resolve();
        }
        const timer = setTimeout(() => response.destroy(), LONGEST_TURN_MS);
        return whenClosed(response).then(() => clearTimeout(timer));
      });
    });
    return turn;
  };
  limitResults(stream, waitForTurn);
  if (socket.destroyed) leave();
  return { client, waitForTurn };
}

/**
 * The library keeps all results in memory, and a value that is too long for a string would end the process. It reads as
 * much at a time as the system has, megabytes: other connections get their turn in between.
 */
function limitResults(stream: Duplex, waitForTurn: () => Promise<void>): void {
  let [received, inThisTurn] = [0, 0];
  stream.on('data', ({ length }: Buffer) => {
    received += length;
    inThisTurn += length;
    if (received > LARGEST) stream.destroy(tooLarge());
    if (inThisTurn <= SMALL) return;
    inThisTurn = 0;
    stream.pause();
    void waitForTurn().then(() => setImmediate(() => stream.resume()));
  });
}

/** Whoever asked has gone: its query ends, as in the service. The gateway forgets its key with the session. */
function cancel(client: Client, accept: Accept, socket: Duplex): Promise<void> {
  // Type definitions do not have them.
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
  const packet = Buffer.concat([16, REQUEST_CODES.cancel, processID, secretKey].map(int32));
  const tunnel = { serverName: undefined, socket };
  return whenClosed(connectInside(accept, tunnel).stream.resume().end(packet));
}

/** A connection to the gateway without a socket. The library expects the methods of one. */
function connectInside(accept: Accept, tunnel: Tunnel) {
  const [near, far] = duplexPair();
  near.allowHalfOpen = false;
  near.once('close', () => far.destroy());
  far.once('close', () => near.destroy());
  const connect = (): void => process.nextTick(() => near.emit('connect'));
  const stream = Object.assign(near, { connect, setNoDelay: () => near });
  return { stream, endpointId: accept(far, tunnel) };
}

export const tooLarge = () =>
  new ApiError(507, 'RESPONSE_TOO_LARGE', `response is too large (max is ${LARGEST} bytes)`);

const notServed = (message: string) => new ApiError(501, 'NOT_SERVED', message);

function connectionOf(header: string | string[] | undefined) {
  try {
    if (!/^postgres(ql)?:/.test(String(header))) throw new Error('another scheme');
    const url = new URL(String(header));
    // For what is missing, the library takes the login of whoever runs the emulator: PGPASSWORD or a file.
    if (!url.username || !url.password || url.pathname.length < 2) throw new Error('no complete login');
    const { searchParams } = url;
    return {
      serverName: url.hostname,
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: decodeURIComponent(url.pathname.slice(1)),
      options: searchParams.get('options') || ' ',
      application_name: searchParams.get('application_name') ?? undefined,
    };
  } catch {
    throw badRequest(
      'the header Neon-Connection-String must be a connection URI of Postgres, with a role, a password and a database',
    );
  }
}
