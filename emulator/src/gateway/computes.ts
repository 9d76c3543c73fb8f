/** The superuser of every server, for the emulator only: the gateway refuses it. */
export const SUPERUSER = 'cloud_admin';

/** What the gateway asks of the computes. */
export interface Computes {
  /**
   * Wakes the compute of an endpoint; the path of its Unix socket. Rejects with a ConnectionRefusal; ends early when the
   * signal aborts (the client has gone).
   */
  reach(endpointId: string, signal: AbortSignal): Promise<string>;
  /**
   * A client is connected to the endpoint's server. Call `traffic` for each message in either direction and `close` once,
   * at the end.
   */
  attach(endpointId: string): { traffic(): void; close(): void };
  /** The sockets of all running servers: where a cancel request may belong. */
  sockets(): readonly string[];
}

/** Why a client is not let in: a Postgres error with its SQLSTATE. */
export class ConnectionRefusal extends Error {
  override readonly name = 'ConnectionRefusal';
  readonly sqlState: string;

  constructor(sqlState: string, message: string) {
    super(message);
    this.sqlState = sqlState;
  }
}

/** A message that breaks the protocol. */
export const protocolViolation = (message: string) => new ConnectionRefusal('08P01', message);
