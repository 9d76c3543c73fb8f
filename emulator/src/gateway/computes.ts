import type { ScramVerifier } from './scram';

/** What the gateway asks of the computes. A client gets the reason of what rejects. */
export interface Computes {
  /**
   * What verifies a client's proof of a role's password; for a role without one, no proof matches. Wakes nothing. Rejects
   * if there is no such endpoint.
   */
  verifier(endpointId: string, role: string): Promise<ScramVerifier>;
  /**
   * Wakes the compute of an endpoint; the path of its Unix socket. Ends early when the signal aborts (the client has gone).
   */
  reach(endpointId: string, signal: AbortSignal): Promise<string>;
  /**
   * A client is connected to the endpoint's server. Call `traffic` for each message in either direction and `close` once,
   * at the end.
   * @param cut is called when the server has stopped, or has ended the connection. Only who reads its last message notices
   */
  attach(endpointId: string, cut: () => void): { traffic(): void; close(): void };
}
