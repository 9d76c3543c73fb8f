import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Duplex, Writable } from 'node:stream';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { ApiError } from '../records/api-error';
import { reasonOf } from '../records/thrown-reason';
import type { Certificate } from './certificates';
import { ConnectionRefusal, protocolViolation } from './connection-refusal';
import { takeBytes } from './messages';
import { writeRefusal } from './startup-packet';

const ALPN = 'postgresql';

/** Closes a socket gracefully: sends what was written, discards what arrives, and destroys the socket after `ms`. */
export function closeWithin(socket: Duplex, ms: number): void {
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), ms);
  socket.once('close', () => clearTimeout(timer));
  // A socket that is closed with unread bytes resets the connection, and the client may lose what was sent.
  socket.resume().end();
}

/** Unlike `once` of node:events, it does not reject when there is an error before the event. */
export function whenClosed(socket: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}

/** A connection inside of another protocol, which has named the host. */
export interface Tunnel {
  readonly serverName: string | undefined;
  readonly socket: Duplex;
}

/**
 * Serves a client that comes through a tunnel.
 * @returns the ID of its endpoint, when it is connected to the server; undefined when it is not let in
 */
export type Accept = (stream: Duplex, tunnel: Tunnel) => Promise<string | undefined>;

/** A client's connection until it is connected to a server. */
export class ClientConnection {
  /** Aborts when the client goes, or the startup has to end; the reason is a ConnectionRefusal, or undefined. */
  readonly signal: AbortSignal;
  /** Whether it comes through a WebSocket or `/sql`. The service asks such a client for its password in clear. */
  readonly isTunnel: boolean;
  /** The host name with which the client began TLS, or the tunnel. */
  serverName: string | undefined;
  /** Aborts the startup: the client gets the reason. */
  readonly abort: (reason?: ConnectionRefusal) => void;
  /** What the client reads and writes: the bytes inside of TLS, when it began TLS. */
  stream: Duplex;
  #isInHandshake = false;

  constructor(raw: Duplex, tunnel?: Tunnel) {
    this.isTunnel = tunnel !== undefined;
    this.serverName = tunnel?.serverName;
    const controller = new AbortController();
    this.signal = controller.signal;
    this.abort = (reason = gone) => controller.abort(reason);
    this.stream = raw;
    this.#watch(raw);
    raw.once('close', () => this.abort());
  }

  get isEncrypted(): boolean {
    return this.stream instanceof TLSSocket;
  }

  /** What binds a login to this TLS connection, of the type tls-server-end-point; undefined without TLS. */
  get channelBinding(): Buffer | undefined {
    if (!(this.stream instanceof TLSSocket)) return undefined;
    // The certificate's own hash, which is that of its signature.
    const certificate = this.stream.getX509Certificate();
    return certificate && createHash('sha256').update(certificate.raw).digest();
  }

  take(length: number): Promise<Buffer> {
    return takeBytes(this.stream, length, this.signal);
  }

  /** Gives the client so long for its part of the startup. */
  async inTime<Result>(ms: number, part: string, work: Promise<Result>): Promise<Result> {
    const tooLate = new ConnectionRefusal('08006', `the ${part} was not complete within ${ms} ms`);
    const timer = setTimeout(() => this.abort(tooLate), ms);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Declines or accepts an offer of encryption. Bytes that came with the offer were not encrypted: someone else may have
   * sent them (CVE-2021-23222).
   * @throws ConnectionRefusal when there are such bytes
   */
  answer(byte: 'N' | 'S'): void {
    if (this.stream.readableLength > 0) {
      throw protocolViolation('received unencrypted data after an encryption request');
    }
    this.stream.write(byte);
  }

  /** TLS, with what the client has already sent of it. */
  async startTls({ key, cert }: Certificate, firstBytes?: Buffer): Promise<void> {
    const raw = this.stream;
    if (firstBytes !== undefined) raw.unshift(firstBytes);
    // A server of its own, which listens nowhere: its event belongs to this client, and no other.
    const tls = createTlsServer({ key, cert, ALPNProtocols: [ALPN] });
    const secured = once(tls, 'secureConnection', { signal: this.signal });
    this.#isInHandshake = true;
    tls.emit('connection', raw);
    const [stream]: TLSSocket[] = await secured;
    this.#isInHandshake = false;
    if (stream === undefined) throw gone;
    this.stream = stream;
    this.serverName = stream.servername || undefined;
    this.#watch(stream);
    if (firstBytes !== undefined && stream.alpnProtocol !== ALPN) {
      throw protocolViolation(`received a direct TLS connection without the ALPN protocol "${ALPN}"`);
    }
  }

  /** Ends the startup with an error message, where the client can still read one. */
  refuse(error: unknown, closingMs: number): void {
    const reason = this.signal.aborted ? this.signal.reason : error;
    if (reason === gone || this.#isInHandshake || this.stream.destroyed) {
      this.stream.destroy();
      return;
    }
    this.stream.write(writeRefusal(toRefusal(reason)));
    closeWithin(this.stream, closingMs);
  }

  #watch(stream: Duplex): void {
    // After an error in its records, TLS stays open.
    stream.on('error', () => stream.destroy());
    stream.once('end', () => this.abort());
  }
}

/** No client reads this message. */
const gone = new ConnectionRefusal('08006', 'the client has closed the connection');

function toRefusal(error: unknown): ConnectionRefusal {
  if (error instanceof ConnectionRefusal) return error;
  if (error instanceof ApiError) return new ConnectionRefusal('08004', error.message);
  return new ConnectionRefusal('XX000', `the compute cannot be reached: ${reasonOf(error)}`);
}
