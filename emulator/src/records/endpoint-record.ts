import type { Endpoint } from './wire-types';

export interface EndpointRecord {
  readonly wire: Endpoint;
  /** How often one request took the compute down and brought it up again. */
  restarts: number;
  /** How often the compute went down, except by autosuspend; with real servers, how many clients were cut off. */
  connectionDrops: number;
  /** A delete is waiting for the compute to be suspended. */
  deleting: boolean;
}
