import { connect } from 'node:net';
import type { Certificate } from './certificates';
import { type ClientConnection, whenClosed } from './client-connection';
import { protocolViolation } from './connection-refusal';
import { PACKET_LENGTHS, REQUEST_CODES, readStartupPacket, type StartupPacket } from './startup-packet';

const TLS_HANDSHAKE = 0x16;
/** Methods of HTTP. The first byte of a packet of Postgres is zero. */
const HTTP = /^(GET|POST|OPTIONS|HEAD|PUT|DELETE|PATCH) /;
const LONGEST_CANCEL_MS = 10_000;
const { ssl, gss, cancel } = REQUEST_CODES;

/**
 * Reads what a client sends before it is led to a server, and encrypts the connection if it asks for that.
 * @returns 'cancel' when it only wanted to cancel a query; 'http' when it speaks that, with all bytes unread
 * @throws ConnectionRefusal when it breaks the protocol
 */
export async function receiveStartup(
  client: ClientConnection,
  certificate: Certificate,
  socketOf: (cancelKey: string) => string | undefined,
): Promise<StartupPacket | 'cancel' | 'http'> {
  const requested = new Set<number>();
  for (;;) {
    const head = await client.take(8);
    const isFirst = requested.size === 0 && !client.isEncrypted;
    if (isFirst && head[0] === TLS_HANDSHAKE) {
      await client.startTls(certificate, head);
      continue;
    }
    if (isFirst && !client.isTunnel && HTTP.test(head.toString('latin1'))) {
      client.stream.unshift(head);
      return 'http';
    }
    const length = head.readInt32BE();
    const code = head.readInt32BE(4);
    if ((code === ssl || code === gss) && !requested.has(code) && !client.isEncrypted) {
      checkLength(length, 'request');
      requested.add(code);
      client.answer(code === ssl ? 'S' : 'N');
      if (code === ssl) await client.startTls(certificate);
      continue;
    }
    checkLength(length, code === cancel ? 'cancel' : 'start');
    const packet = Buffer.concat([head, await client.take(length - head.length)]);
    if (code !== cancel) return readStartupPacket(packet, client.serverName);
    const path = socketOf(packet.toString('hex', 8));
    if (path !== undefined) await forwardCancel(packet, path);
    return 'cancel';
  }
}

function checkLength(length: number, packet: keyof typeof PACKET_LENGTHS): void {
  const [least, most] = PACKET_LENGTHS[packet];
  if (length < least || length > most) throw protocolViolation(`invalid length of ${packet} packet`);
}

/** A server closes the connection when it has handled the request; many clients close theirs at once. */
async function forwardCancel(packet: Buffer, path: string): Promise<void> {
  // A server that is stopping cancels its queries anyway.
  const server = connect({ path, signal: AbortSignal.timeout(LONGEST_CANCEL_MS) }).on(
    'error',
    () => undefined,
  );
  server.resume().end(packet);
  await whenClosed(server);
}
