import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Emulator } from 'postgres-control-emulator';

/** A request that reached an emulator, with any response. */
export interface Arrival {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
}

const arrivalsByPort = new Map<number, Arrival[]>();

// The emulator's own list has a limited size, in bytes, and the baselines send more.
subscribe('http.server.request.start', (message) => {
  // Node types the message as unknown; its documentation says what it holds.
  const { request } = message as { request: IncomingMessage };
  const [path = ''] = (request.url ?? '').split('?');
  const arrival = { atMs: Date.now(), method: request.method ?? '', path };
  arrivalsByPort.get(request.socket.localPort ?? 0)?.push(arrival);
});

/** Counts every request to the emulator from now on. An emulator that has stopped may have had the same port. */
export function startMeter({ port }: Emulator): void {
  arrivalsByPort.set(port, []);
}

/** Every request that reached the emulator, oldest first. @throws Error when the emulator has no meter */
export function arrivalsAt({ port }: Emulator): readonly Arrival[] {
  const arrivals = arrivalsByPort.get(port);
  if (arrivals) return arrivals;
  throw new Error(`the requests to port ${port} are not counted`);
}

/** The most requests in any window of that length. */
export function highestRate(arrivals: readonly Arrival[], windowMs: number): number {
  let first = 0;
  let highest = 0;
  for (const [index, { atMs }] of arrivals.entries()) {
    while ((arrivals[first]?.atMs ?? atMs) <= atMs - windowMs) first += 1;
    highest = Math.max(highest, index - first + 1);
  }
  return highest;
}
