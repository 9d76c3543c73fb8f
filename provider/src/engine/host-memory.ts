import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { findEngineAddress } from './engine-client';

/** Whether this process is a host of dynamic providers. A process without an engine only loads the module. */
export const isHost = findEngineAddress(process.argv) !== undefined;

/**
 * Collects what loading the provider has left, before the first calls wait for the service. V8 keeps what survives two such
 * collections until a full one, and if the table of HTTP/2 streams does, it keeps all that later tables held, too: the
 * messages of most later calls, 60 MB in a refresh of 1000 endpoints.
 */
export function collectYoungGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')({ type: 'minor' });
}
