import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { closeWithin, whenClosed } from './client-connection';
import { ConnectionRefusal } from './connection-refusal';
import { AUTHENTICATION, int32, type Message, readMessage, takeBytes, writeMessage } from './messages';
import { beginScram, SCRAM } from './scram';

/** Of what the server reports before the key. A warning about a role's setting can be as long as Postgres allows. */
const LONGEST_REPORT = 1024 * 1024;

export interface SessionStart {
  readonly packet: Buffer;
  readonly clientKey: Buffer;
}

/** A server, and what it has answered that is meant for the client. */
export interface Session {
  readonly server: Duplex;
  readonly path: string;
  readonly answer: Buffer;
  /** What a request to cancel its query contains, in hexadecimal; undefined if the login has failed. */
  readonly cancelKey: string | undefined;
}

/**
 * A connection to a server that may end at any time. Writes to one that has ended are dropped without an error, which
 * would also drop the server's last message before it is read: why it ended.
 */
class ServerSocket extends Socket {
  override _write(chunk: Buffer, encoding: BufferEncoding, callback: () => void): void {
    super._write(chunk, encoding, () => callback());
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], callback: () => void): void {
    super._writev?.(chunks, () => callback());
  }
}

/**
 * Connects to a server and logs in as the client.
 * @throws ConnectionRefusal when it does not accept connections; the reason of the signal when that aborts
 */
export async function connectToServer(
  path: string,
  { packet, clientKey }: SessionStart,
  signal: AbortSignal,
): Promise<Session> {
  signal.throwIfAborted();
  const server = new ServerSocket();
  try {
    await once(server.connect(path), 'connect');
  } catch (cause) {
    throw Object.assign(stopped(), { cause });
  }
  // The event "close" follows.
  server.on('error', () => undefined);
  const closed = new AbortController();
  server.once('close', () => closed.abort(stopped()));
  try {
    signal.throwIfAborted();
    server.write(packet);
    const either = AbortSignal.any([signal, closed.signal]);
    return { server, path, ...(await untilKey(server, await logIn(server, clientKey, either), either)) };
  } catch (error) {
    server.destroy();
    throw error;
  }
}

/** The server checks the proof itself, as of any client: a password may have changed since. */
async function logIn(server: Duplex, clientKey: Buffer, signal: AbortSignal): Promise<Buffer> {
  const request = await readMessage(server, signal);
  if (!isRequest(request, AUTHENTICATION.sasl)) return request.bytes;
  const scram = beginScram(clientKey);
  server.write(writeMessage('p', `${SCRAM}\0`, int32(scram.clientFirst.length), scram.clientFirst));
  const challenge = await readMessage(server, signal);
  if (!isRequest(challenge, AUTHENTICATION.saslContinue)) return challenge.bytes;
  server.write(writeMessage('p', scram.finish(challenge.body.toString('latin1', 4))));
  const outcome = await readMessage(server, signal);
  return isRequest(outcome, AUTHENTICATION.saslFinal) ? Buffer.alloc(0) : outcome.bytes;
}

/** After the login, the server reports parameters and then the key; or it refuses the client. */
async function untilKey(
  server: Duplex,
  answer: Buffer,
  signal: AbortSignal,
): Promise<Pick<Session, 'answer' | 'cancelKey'>> {
  const parts = [answer];
  let type = answer.toString('latin1', 0, 1);
  let cancelKey: string | undefined;
  let left = LONGEST_REPORT;
  while (!['E', 'K', 'Z'].includes(type)) {
    const head = await takeBytes(server, 5, signal);
    parts.push(head);
    const length = head.readInt32BE(1) - 4;
    left -= length;
    // The rest passes like what comes after the login. Only the client cannot cancel its queries then.
    if (left < 0) break;
    const body = await takeBytes(server, length, signal);
    type = head.toString('latin1', 0, 1);
    if (type === 'K') cancelKey = body.toString('hex');
    parts.push(body);
  }
  return { answer: Buffer.concat(parts), cancelKey };
}

function isRequest({ type, body }: Message, kind: number): boolean {
  return type === 'R' && body.length >= 4 && body.readInt32BE() === kind;
}

const stopped = () => new ConnectionRefusal('57P03', 'the compute stopped before it answered: connect again');

/**
 * Forwards bytes in both directions until one side closes. The other side gets the remaining bytes, and has `closingMs`
 * to close.
 */
export async function passThrough(
  client: Duplex,
  { server, answer }: Session,
  { traffic, closingMs }: { traffic: () => void; closingMs: number },
): Promise<void> {
  const sides = [client, server];
  client.write(answer);
  for (const side of sides) side.on('data', traffic);
  // A client that only ends its own side still gets its answers.
  client.pipe(server);
  server.pipe(client, { end: false });
  await Promise.race(sides.map(whenClosed));
  for (const side of sides) side.off('data', traffic);
  for (const side of sides) closeWithin(side, closingMs);
}
