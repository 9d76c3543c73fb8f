import { once } from 'node:events';
import { Socket } from 'node:net';
import { closeWithin, whenClosed } from './client-connection';
import { ConnectionRefusal } from './computes';
import { writeRefusal } from './startup-packet';

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
 * Connects to a server and sends it the startup packet.
 * @throws ConnectionRefusal when it does not accept connections; the reason of the signal when that aborts
 */
export async function connectToServer(path: string, packet: Buffer, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const server = new ServerSocket();
  try {
    await once(server.connect(path), 'connect');
  } catch (cause) {
    throw Object.assign(stopped(), { cause });
  }
  // The event "close" follows.
  server.on('error', () => undefined);
  if (signal.aborted) server.destroy();
  signal.throwIfAborted();
  server.write(packet);
  return server;
}

const stopped = () => new ConnectionRefusal('57P03', 'the compute stopped before it answered: connect again');

/**
 * Forwards bytes in both directions until one side closes. The other side gets the remaining bytes, and has `closingMs`
 * to close.
 */
export async function passThrough(
  client: Socket,
  server: Socket,
  { traffic, closingMs }: { traffic: () => void; closingMs: number },
): Promise<void> {
  const sides = [client, server];
  for (const side of sides) side.on('data', traffic);
  // A client that only ends its own side still gets its answers.
  client.pipe(server);
  server.pipe(client, { end: false });
  await Promise.race(sides.map(whenClosed));
  for (const side of sides) side.off('data', traffic);
  if (server.bytesRead === 0) client.write(writeRefusal(stopped()));
  for (const side of sides) closeWithin(side, closingMs);
}
