import type { Duplex } from 'node:stream';

/**
 * Connections without a verified key or password: anyone can make them, and each takes a descriptor. If there are too many, the
 * oldest is closed, so that clients with a key or a password still get in.
 */
export class Newcomers {
  readonly #most: number;
  readonly #cutOff = new Map<Duplex, () => void>();

  constructor(most: number) {
    this.#most = most;
  }

  /** A connection that proves nothing from now on. Call `admit` when it closes, too. */
  add(connection: Duplex, cutOff: () => void): void {
    this.#cutOff.delete(connection);
    if (connection.destroyed) return;
    this.#cutOff.set(connection, cutOff);
    const [oldest] = this.#cutOff;
    if (oldest === undefined || this.#cutOff.size <= this.#most) return;
    const [oldestConnection, cutOffOldest] = oldest;
    this.#cutOff.delete(oldestConnection);
    cutOffOldest();
  }

  admit(connection: Duplex): void {
    this.#cutOff.delete(connection);
  }
}
