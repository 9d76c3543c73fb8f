import type { PlanName } from '../limits/plans';

/** What unfinished operations lock: the whole project, the endpoint (or branch) they work on, or nothing. */
export type LockScope = 'project' | 'endpoint' | 'none';

export interface EmulatorOptions {
  /** TCP port, 0..65535; 0 takes a free one. @default 0 */
  readonly port?: number;
  /** Address to listen on. Any but a loopback address needs `allowRemote`. @default '127.0.0.1' */
  readonly host?: string;
  /** Lets other machines in: the service then listens beyond loopback. @default false */
  readonly allowRemote?: boolean;
  /** The one bearer key that is accepted. @default a random key; with `data` the one that the file keeps */
  readonly apiKey?: string;
  /**
   * A file that keeps what the emulator holds over restarts, and the key where `apiKey` is absent. It is made if it does
   * not exist. One emulator at a time can have it. @default none: everything is in memory
   */
  readonly data?: string;
  /**
   * Milliseconds that an operation runs; 0 finishes it in the next tick. Either one number, or a number for each action
   * and `default` for the rest. @default 0
   */
  readonly operationMs?: number | Readonly<Record<string, number>>;
  /**
   * Milliseconds that an operation stays in scheduling before it runs. With more than 0 a create's answer has its
   * start_compute in scheduling, not yet running. @default 0
   */
  readonly schedulingMs?: number;
  /** What an unfinished operation locks against writes (423). @default 'project' */
  readonly locks?: LockScope;
  /** The account's plan. @default 'paid' */
  readonly plan?: PlanName;
  /** Endpoints that a project may have. @default 20 on the free plan, 500 on the paid plan */
  readonly maxEndpoints?: number;
  /** Largest compute size of a paid plan, in compute units: whole, 1..56. @default 8 */
  readonly maxCu?: number;
  /** Requests accepted in any 60 seconds; more are answered 429. 0 means no limit. @default 0 */
  readonly requestsPerMinute?: number;
  /** Milliseconds between two check_availability rounds; 0 means none. @default 0 */
  readonly checkAvailabilityEveryMs?: number;
  /** How long a second of `suspend_timeout_seconds` takes, in milliseconds. @default 1000 */
  readonly autosuspendSecondMs?: number;
  /**
   * How many milliseconds the lists of endpoints, operations and branches lag behind the writes, 0..60000. What was made
   * since then is not yet in them, and what was deleted still is. Writes act on the present. @default 0
   */
  readonly lateListsMs?: number;
  /** The same for a GET of one endpoint, operation or branch. @default 0 */
  readonly lateGetsMs?: number;
  /**
   * Holds and shows written `pg_settings` in normalized form: names in lower case, memory in kB, durations in seconds,
   * booleans as on and off, and with a `log_timezone` that the client did not give. @default false
   */
  readonly normalizeSettings?: boolean;
  /** What happens to attributes of a request body that the API does not describe. @default 'ignore' */
  readonly unknownAttributes?: 'ignore' | 'reject';
  /** Region of projects that name none. @default 'local-east-1' */
  readonly regionId?: string;
}

export type Settings = Required<Omit<EmulatorOptions, 'data'>> & { readonly data: string | undefined };

/** How long operations of an action run, in milliseconds. */
export function durationOf(operationMs: Settings['operationMs'], action: string): number {
  if (typeof operationMs === 'number') return operationMs;
  return operationMs[action] ?? operationMs.default ?? 0;
}
