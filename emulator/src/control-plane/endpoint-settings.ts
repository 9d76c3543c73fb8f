import type { Settings } from '../options/emulator-options';
import type { EndpointSettings } from '../records/wire-types';
import type { EndpointAttributes } from '../requests/endpoint-attributes';
import type { ControlPlane } from './control-plane';

export function checkPgSettings(
  { dataPlane }: ControlPlane,
  { pg_settings, preload_libraries }: Partial<EndpointSettings> = {},
): void {
  dataPlane?.settingRules.checkAllowed(pg_settings, preload_libraries?.enabled_libraries);
}

/**
 * Does the work once Postgres has checked the values, which takes time: the work itself reads the records. Without Postgres it does so at
 * once.
 */
export function onceVerified<Result>(
  { dataPlane }: ControlPlane,
  all: readonly (Partial<EndpointSettings> | undefined)[],
  work: () => Result,
): Result | Promise<Result> {
  if (!dataPlane) return work();
  const verify = async () => {
    for (const { pg_settings, preload_libraries } of all.map((each) => each ?? {}))
      await dataPlane.settingRules.checkValues(pg_settings, preload_libraries?.enabled_libraries);
  };
  return verify().then(work);
}

/** Added to every map of settings that a client writes. */
const ADDED_SETTING = { log_timezone: 'UTC' };

const KILOBYTES = new Map(Object.entries({ kB: 1, MB: 1024, GB: 1024 ** 2, TB: 1024 ** 3 }));
const SECONDS = new Map(Object.entries({ s: 1, min: 60, h: 3600, d: 86_400 }));
const FLAGS = new Map(Object.entries({ true: 'on', yes: 'on', false: 'off', no: 'off' }));
const DIGIT_FLAGS = new Map(Object.entries({ 1: 'on', 0: 'off' }));

/** In any other setting, 1 and 0 are numbers. */
const BOOLEAN_SETTING = /^(enable_\w+|jit|autovacuum)$/;
const QUANTITY = /^(\d+(?:\.\d+)?) *([a-zA-Z]+)$/;

/**
 * Returns the attributes in the form in which Postgres reports its settings. Normalizing them again changes nothing.
 */
export function normalizeAttributes<Attributes extends EndpointAttributes>(
  { normalizeSettings }: Pick<Settings, 'normalizeSettings'>,
  attributes: Attributes,
): Attributes {
  const { settings } = attributes;
  if (!normalizeSettings || settings?.pg_settings === undefined) return attributes;
  const entries = Object.entries(settings.pg_settings).map(([name, value]): [string, string] => {
    const lowerCased = name.toLowerCase();
    return [lowerCased, normalizeValue(lowerCased, value)];
  });
  const pg_settings = { ...ADDED_SETTING, ...Object.fromEntries(entries) };
  return { ...attributes, settings: { ...settings, pg_settings } };
}

function normalizeValue(name: string, value: string): string {
  const text = value.trim();
  const flag =
    FLAGS.get(text.toLowerCase()) ?? (BOOLEAN_SETTING.test(name) ? DIGIT_FLAGS.get(text) : undefined);
  if (flag !== undefined) return flag;
  const [, number = '', unit = ''] = QUANTITY.exec(text) ?? [];
  return inUnit(number, KILOBYTES.get(unit), 'kB') ?? inUnit(number, SECONDS.get(unit), 's') ?? value;
}

/** The amount in the unit; undefined, which keeps the written value, unless it is a whole number. */
function inUnit(number: string, factor: number | undefined, unit: string): string | undefined {
  const amount = Number(number) * (factor ?? Number.NaN);
  return Number.isSafeInteger(amount) ? `${amount}${unit}` : undefined;
}
