import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { findEngineAddress } from './engine-client';

/** Whether this process is a host of dynamic providers. A process without an engine only loads the module. */
export const isHost = findEngineAddress(process.argv) !== undefined;

/** A refresh of 1000 endpoints ends before. Milliseconds. */
const fullCollectionAfterMs = 5_000;

/**
 * Keeps the host's memory small. What loading the provider has left is collected before the first calls wait for the
 * service: V8 keeps what survives two such small collections until a full one, and if the table of HTTP/2 streams does, it
 * keeps all that later tables held, too, which are the messages of most later calls: 60 MB in a refresh of 1000 endpoints. In a
 * longer run, a full collection limits how far the heap grows from then on; without it, an `up` of 1000 peaked at 274 MB.
 */
export function limitHostMemory(): void {
  setFlagsFromString('--expose-gc');
  setFlagsFromString('--heap-growing-percent=60');
  const collect = runInNewContext('gc');
  collect({ type: 'minor' });
  setTimeout(collect, fullCollectionAfterMs).unref();
}
