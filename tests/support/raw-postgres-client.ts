import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';

/** The codes of the requests that a client may send before its startup packet. */
export const CODES = { ssl: 80_877_103, gss: 80_877_104, cancel: 80_877_102, version3: 196_608 };

/** A packet of the startup: its length, a code and the rest. */
export function packet(code: number, rest: string | Buffer = ''): Buffer {
  const head = Buffer.alloc(8);
  const body = Buffer.from(rest);
  head.writeInt32BE(8 + body.length);
  head.writeInt32BE(code, 4);
  return Buffer.concat([head, body]);
}

export function startPacket(parameters: Readonly<Record<string, string>>): Buffer {
  const words = Object.entries(parameters).flat();
  return packet(CODES.version3, `${words.map((word) => `${word}\0`).join('')}\0`);
}

/** A bare connection, which is destroyed after the test in any case. */
export async function openSocket(port: number, host = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host, allowHalfOpen: true });
  socket.on('error', () => undefined);
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  return socket;
}

/** Asks for TLS with an SSLRequest. */
export async function openTls(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = await openSocket(port);
  socket.write(packet(CODES.ssl));
  const [answer] = await once(socket, 'data');
  if (String(answer) !== 'S') throw new Error(`the answer to SSLRequest is ${answer}`);
  return secure(socket, options);
}

/** Begins TLS without a request before. */
export async function secure(socket: Socket, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const tls = connectTls({ socket, rejectUnauthorized: false, ...options });
  tls.on('error', () => undefined);
  await once(tls, 'secureConnect');
  return tls;
}

/** A message of the server, such as type E with its fields. */
export interface Message {
  readonly type: string;
  readonly body: Buffer;
}

/** All messages until the server ends the connection. */
export async function readMessages(socket: Socket): Promise<Message[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const messages: Message[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readInt32BE(at + 1);
    if (length < 4) throw new Error(`not a message: ${bytes.toString('hex', at)}`);
    messages.push({
      type: String.fromCharCode(bytes[at] ?? 0),
      body: bytes.subarray(at + 5, at + 1 + length),
    });
    at += 1 + length;
  }
  return messages;
}

/** The error with which the server ends the connection: its severity, SQLSTATE and text. */
export async function readRefusal(socket: Socket): Promise<string | undefined> {
  const last = (await readMessages(socket)).at(-1);
  if (last?.type !== 'E') return undefined;
  const fields = last.body.toString().split('\0');
  const field = (code: string) => fields.find((text) => text.startsWith(code))?.slice(1);
  return `${field('V')} ${field('C')}: ${field('M')}`;
}
