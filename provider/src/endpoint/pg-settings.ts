/**
 * Postgres accepts many spellings of a setting. A service may report a different spelling, or settings that the client
 * never sent. Neither is drift.
 */
export function isSameSettings(
  desired: Readonly<Record<string, string>>,
  reported: Readonly<Record<string, string>>,
): boolean {
  const byName = new Map(Object.entries(reported).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.entries(desired).every(([name, value]) => {
    const other = byName.get(name.toLowerCase());
    return other !== undefined && isSameSetting(value, other);
  });
}

/** Units as Postgres spells them, in bytes and in microseconds (Postgres documentation, "Setting Parameters"). */
const memoryUnits = { B: 1, kB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40 };
const timeUnits = { us: 1, ms: 1e3, s: 1e6, min: 6e7, h: 3.6e9, d: 8.64e10 };
/** What a number without a unit may count, depending on the setting: bytes, blocks, milliseconds and so on. */
const implicitUnits = [
  [memoryUnits, [1, 2 ** 10, 2 ** 13, 2 ** 20]],
  [timeUnits, [1e3, 1e6, 6e7]],
] as const;

const truths: Readonly<Record<string, boolean>> = {
  on: true,
  true: true,
  yes: true,
  '1': true,
  off: false,
  false: false,
  no: false,
  '0': false,
};

function isSameSetting(left: string, right: string): boolean {
  if (toPlain(left) === toPlain(right)) return true;
  const [leftTruth, rightTruth] = [truths[toPlain(left)], truths[toPlain(right)]];
  if (leftTruth !== undefined && leftTruth === rightTruth) return true;
  return implicitUnits.some(([units, implicit]) => {
    const isBare = [left, right].map((text) => /^[\s\d.-]+$/.test(text));
    // Two numbers count the same unit, whichever it is.
    if (isBare.every(Boolean)) return Number(left) === Number(right);
    const rightSizes = toSizes(right, units, implicit);
    return toSizes(left, units, implicit).some((size) => rightSizes.includes(size));
  });
}

/** Case and white space do not count, as in `"$user",public`. */
function toPlain(value: string): string {
  return value.toLowerCase().replaceAll(/\s+/g, '');
}

/** The sizes that the text may stand for: one with a unit, several without. */
function toSizes(
  text: string,
  units: Readonly<Record<string, number>>,
  implicit: readonly number[],
): number[] {
  const [, digits, unit] = /^\s*(-?\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/.exec(text) ?? [];
  if (digits === undefined) return [];
  // Whole bytes and microseconds: 4.1 s are 4100 ms, but not in binary fractions.
  if (!unit) return implicit.map((size) => Math.round(Number(digits) * size));
  const size = Object.hasOwn(units, unit) ? units[unit] : undefined;
  return size === undefined ? [] : [Math.round(Number(digits) * size)];
}
