import { z } from 'zod';
import { PLANS } from '../limits/plans';
import { LONGEST_LAG_MS } from '../records/history';
import { newApiKey } from '../records/ids';
import { parse } from '../validation/parse';
import { flag, oneOf, text, textLike, wholeNumber } from '../validation/schemas';
import type { EmulatorOptions, Settings } from './emulator-options';

/** Host names and addresses that only this machine can reach. */
export const LOOPBACK_HOST = /^(localhost|::1|127(\.\d{1,3}){3})$/;
const LARGEST_CU = 56;
const timerMs = wholeNumber(0, 2 ** 31 - 1);
const lagMs = wholeNumber(0, LONGEST_LAG_MS);

const shape = {
  port: wholeNumber(0, 65_535).default(0),
  host: text.default('127.0.0.1'),
  allowRemote: flag.default(false),
  apiKey: textLike(/^[\x21-\x7e]+$/, 'one or more printable characters without spaces').default(newApiKey),
  data: textLike(/./s, 'the path of a file').optional(),
  postgres: z.union([flag, textLike(/./s, '')], 'true, false or the path of a folder').default(false),
  postgresPort: wholeNumber(0, 65_535).optional(),
  postgresHost: textLike(
    /^[\w.-]+$|^\[[\da-f:.]+\]$/i,
    'a host name, an address or an address in brackets',
  ).optional(),
  operationMs: z
    .union([timerMs, z.record(z.string(), timerMs)], 'a number of milliseconds, or one per action')
    .default(0),
  schedulingMs: timerMs.default(0),
  locks: oneOf('project', 'endpoint', 'none').default('project'),
  plan: oneOf('free', 'paid').default('paid'),
  maxEndpoints: wholeNumber(1, 100_000).optional(),
  maxCu: wholeNumber(1, LARGEST_CU).default(8),
  requestsPerMinute: wholeNumber(0, 1_000_000).default(0),
  checkAvailabilityEveryMs: timerMs.default(0),
  autosuspendSecondMs: wholeNumber(1, 3500).default(1000),
  lateListsMs: lagMs.default(0),
  lateGetsMs: lagMs.default(0),
  normalizeSettings: flag.default(false),
  unknownAttributes: oneOf('ignore', 'reject').default('ignore'),
  regionId: textLike(/^[a-z0-9-]{1,40}$/, '1 to 40 of a-z, 0-9 and "-"').default('local-east-1'),
};
const OPTIONS = z.strictObject(shape, `not an option; the options are ${Object.keys(shape).join(', ')}`);

/** Applies the defaults. @throws RangeError when an option is unknown or its value is invalid */
export function resolveOptions(options: EmulatorOptions = {}): Settings {
  const { data, maxEndpoints, postgresPort, postgresHost, ...others } = parse(
    OPTIONS,
    options,
    '',
    (message) => new RangeError(message),
  );
  const { host, allowRemote, plan } = others;
  if (!LOOPBACK_HOST.test(host) && !allowRemote) {
    throw new RangeError(
      `host ${host} can be reached from other machines; use a loopback address, or allow it with allowRemote (--allow-remote)`,
    );
  }
  for (const [name, value] of Object.entries({ postgresPort, postgresHost })) {
    if (value !== undefined && others.postgres === false)
      throw new RangeError(`${name} ${value} has no effect without the option postgres`);
  }
  const most = maxEndpoints ?? PLANS[plan].maxEndpoints;
  return { ...others, data, postgresPort, postgresHost, maxEndpoints: most };
}
