import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { findEngineAddress } from './engine-client';

/** Whether this process is a host of dynamic providers. A process without an engine only loads the module. */
export const isHost = findEngineAddress(process.argv) !== undefined;

/** A refresh of 1000 endpoints ends before. Milliseconds. */
const fullCollectionAfterMs = 5_000;

/**
 * Keeps the host's memory small. The garbage of loading the provider is collected before the first calls wait for the service: an
 * HTTP/2 stream table that survives two minor collections lives until a full one and keeps every later message alive, 60 MB in a
 * refresh of 1000 endpoints. In a longer run, a full collection limits the growth of the heap; without it, an `up` of 1000 peaked at
 * 274 MB.
 */
export function limitHostMemory(): void {
  setFlagsFromString('--expose-gc');
  setFlagsFromString('--heap-growing-percent=60');
  const collect = runInNewContext('gc');
  collect({ type: 'minor' });
  setTimeout(collect, fullCollectionAfterMs).unref();
}
