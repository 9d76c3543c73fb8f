import { PLANS } from '../limits/plans';
import { LONGEST_LAG_MS } from '../records/history';
import { newApiKey } from '../records/ids';
import type { EmulatorOptions, Settings } from './emulator-options';

/** Host names and addresses that only this machine can reach. */
export const LOOPBACK_HOST = /^(localhost|::1|127(\.\d{1,3}){3})$/;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const LARGEST_CU = 56;

/** Applies the defaults. @throws RangeError when an option is unknown or its value is invalid */
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
    throw new RangeError(`${option} is not an option; the options are ${Object.keys(settings).join(', ')}`);
  }
  checkSettings(settings);
  return settings;
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
  checkWhole('lateListsMs', settings.lateListsMs, 0, LONGEST_LAG_MS);
  checkWhole('lateGetsMs', settings.lateGetsMs, 0, LONGEST_LAG_MS);
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
      `host ${settings.host} can be reached from other machines; use a loopback address, or allow it with allowRemote (--allow-remote)`,
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
