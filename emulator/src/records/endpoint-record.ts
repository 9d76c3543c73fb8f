import type { Endpoint } from './wire-types';

export interface EndpointRecord {
  readonly wire: Endpoint;
  /** How often one request took the compute down and brought it up again. */
  restarts: number;
  /** How often the compute went down, except by autosuspend, which waits until no client is connected. */
  connectionDrops: number;
  /** A delete is waiting for the compute to be suspended. */
  deleting: boolean;
}
