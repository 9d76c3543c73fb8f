import { LONGEST_LATENESS_MS } from '../records/history';
import { newApiKey } from '../records/ids';
import { PLANS, type PlanName } from '../limits/plans';

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

/** The names and addresses by which nothing but this machine can be reached. */
export const LOOPBACK_HOST = /^(localhost|::1|127(\.\d{1,3}){3})$/;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const LARGEST_CU = 56;

/** Fills in the defaults and refuses values that make no sense. */
export function resolveOptions(options: EmulatorOptions = {}): Settings {
  const plan = options.plan ?? 'paid';
  checkOneOf('plan', plan, Object.keys(PLANS));
  const settings: Settings = {
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    allowRemote: options.allowRemote ?? false,
    apiKey: options.apiKey ?? newApiKey(),
    data: options.data,
    operationMs: options.operationMs ?? 0,
    schedulingMs: options.schedulingMs ?? 0,
    locks: options.locks ?? 'project',
    plan,
    maxEndpoints: options.maxEndpoints ?? PLANS[plan].maxEndpoints,
    maxCu: options.maxCu ?? 8,
    requestsPerMinute: options.requestsPerMinute ?? 0,
    checkAvailabilityEveryMs: options.checkAvailabilityEveryMs ?? 0,
    autosuspendSecondMs: options.autosuspendSecondMs ?? 1000,
    lateListsMs: options.lateListsMs ?? 0,
    lateGetsMs: options.lateGetsMs ?? 0,
    normalizeSettings: options.normalizeSettings ?? false,
    unknownAttributes: options.unknownAttributes ?? 'ignore',
    regionId: options.regionId ?? 'local-east-1',
  };
  for (const option of Object.keys(options)) {
    if (Object.hasOwn(settings, option)) continue;
    throw new RangeError(`${option} is no option; there are ${Object.keys(settings).join(', ')}`);
  }
  checkSettings(settings);
  return settings;
}

/** How long operations of an action run, in milliseconds. */
export function durationOf(operationMs: Settings['operationMs'], action: string): number {
  if (typeof operationMs === 'number') return operationMs;
  return operationMs[action] ?? operationMs.default ?? 0;
}

function checkSettings(settings: Settings): void {
  const { operationMs } = settings;
  checkWhole('port', settings.port, 0, 65_535);
  checkOneOf('locks', settings.locks, ['project', 'endpoint', 'none']);
  checkOneOf('unknownAttributes', settings.unknownAttributes, ['ignore', 'reject']);
  checkWhole('maxEndpoints', settings.maxEndpoints, 1, 100_000);
  checkWhole('maxCu', settings.maxCu, 1, LARGEST_CU);
  checkWhole('requestsPerMinute', settings.requestsPerMinute, 0, 1_000_000);
  checkWhole('schedulingMs', settings.schedulingMs, 0, LONGEST_TIMER_MS);
  checkWhole('checkAvailabilityEveryMs', settings.checkAvailabilityEveryMs, 0, LONGEST_TIMER_MS);
  checkWhole('autosuspendSecondMs', settings.autosuspendSecondMs, 1, 3500);
  checkWhole('lateListsMs', settings.lateListsMs, 0, LONGEST_LATENESS_MS);
  checkWhole('lateGetsMs', settings.lateGetsMs, 0, LONGEST_LATENESS_MS);
  const durations = typeof operationMs === 'number' ? { '': operationMs } : operationMs;
  for (const [action, ms] of Object.entries(durations)) {
    checkWhole(action === '' ? 'operationMs' : `operationMs.${action}`, ms, 0, LONGEST_TIMER_MS);
  }
  if (settings.data !== undefined && (typeof settings.data !== 'string' || settings.data === '')) {
    throw new RangeError(`data must be the path of a file; got ${JSON.stringify(settings.data)}`);
  }
  for (const flag of ['allowRemote', 'normalizeSettings'] as const) {
    if (typeof settings[flag] !== 'boolean') throw new RangeError(`${flag} must be true or false`);
  }
  if (typeof settings.apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(settings.apiKey)) {
    throw new RangeError('apiKey must be one or more printable characters without spaces');
  }
  if (!/^[a-z0-9-]{1,40}$/.test(settings.regionId)) {
    throw new RangeError(
      `regionId must be 1 to 40 of a-z, 0-9 and "-"; got ${JSON.stringify(settings.regionId)}`,
    );
  }
  if (!LOOPBACK_HOST.test(settings.host) && !settings.allowRemote) {
    throw new RangeError(
      `host ${settings.host} can be reached from other machines; use a loopback address, or let them in on purpose (allowRemote, --allow-remote)`,
    );
  }
}

function checkWhole(option: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new RangeError(
    `${option} must be a whole number from ${min} to ${max}; got ${JSON.stringify(value)}`,
  );
}

function checkOneOf(option: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  throw new RangeError(`${option} must be one of ${allowed.join(', ')}; got ${JSON.stringify(value)}`);
}
