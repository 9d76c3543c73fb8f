import type { Branch, Endpoint } from 'postgres-control-emulator';
import type { Database, Role } from '../../../emulator/src/records/wire-types';
import type { DeclaredResource, StoredResource } from '../engine/stack';
import type { UserStep } from './user-schedule';

/** What the service has, and is not deleting. */
export interface Held {
  readonly branches: readonly Branch[];
  readonly endpoints: readonly Endpoint[];
  readonly roles: readonly Role[];
  readonly databases: readonly Database[];
}

interface Shown {
  readonly urn: string;
  readonly text: string;
}

/** What is known of one run when it sends a request. */
export interface RunRecord {
  readonly step: UserStep;
  readonly program: readonly DeclaredResource[];
  /** What the state held when it began. */
  readonly state: readonly StoredResource[];
  /** What the service held when it began. */
  readonly held: Held;
  /** The steps that its preview has shown, and its own so far. */
  readonly steps: Set<string>;
  /** The URNs whose declaration the engine has passed to the provider in this run. */
  readonly known: Set<string>;
  /** Those of which it has asked for a diff, which a forced replacement does without. */
  readonly diffed: Set<string>;
  /** The warnings and notes that its preview has shown, by URN. */
  readonly foretold: readonly Shown[];
  /** These, and its own so far. */
  readonly texts: Shown[];
}
