/** Describes what a value must be, or returns undefined if the value is valid. */
export type Check = (value: unknown) => string | undefined;
export type Checks = Readonly<Record<string, Check>>;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function check(isValid: (value: unknown) => boolean, expected: string): Check {
  return (value) => (isValid(value) ? undefined : expected);
}

/** A string that matches the pattern. */
export function isTextLike(pattern: RegExp, expected: string): Check {
  return check((value) => typeof value === 'string' && pattern.test(value), expected);
}

export const isText = check((value) => typeof value === 'string', 'a string');
export const isFlag = check((value) => typeof value === 'boolean', 'true or false');
export const isNumber = check(Number.isFinite, 'a number');
export const isId = isTextLike(/^[a-z0-9-]{1,60}$/, 'an id: 1 to 60 of a-z, 0-9 and "-"');
export const isTextMap = check(
  (value) => isObject(value) && Object.values(value).every((item) => typeof item === 'string'),
  'an object whose values are strings',
);

const MOST_ANNOTATIONS = 50;

export const isAnnotations = check(
  (value) => isTextMap(value) === undefined && Object.keys(Object(value)).length <= MOST_ANNOTATIONS,
  `an object of at most ${MOST_ANNOTATIONS} string values`,
);

const RFC_3339 = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

export const isTimestamp = check(
  (value) => typeof value === 'string' && RFC_3339.test(value) && !Number.isNaN(Date.parse(value)),
  'a time such as 2026-01-31T08:00:00Z',
);

/** Counts code points, as people do, not UTF-16 units. */
export function isTextOfLength(min: number, max: number): Check {
  return isTextLike(new RegExp(`^.{${min},${max}}$`, 'su'), `a string of ${min} to ${max} characters`);
}

export function isWholeNumber(min: number, max: number): Check {
  return check(
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    `a whole number from ${min} to ${max}`,
  );
}

export function isOneOf(...allowed: readonly unknown[]): Check {
  return check((value) => allowed.includes(value), `one of ${allowed.join(', ')}`);
}

export function isListOf(isItem: Check, items: string): Check {
  return check(
    (value) => Array.isArray(value) && value.every((item) => isItem(item) === undefined),
    `a list of ${items}`,
  );
}

/** An object that has every required attribute, and whose known attributes pass their checks. */
export function isObjectOf(checks: Checks, required: readonly string[] = []): Check {
  return (value) => {
    if (!isObject(value)) return 'an object';
    const missing = required.find((name) => value[name] === undefined);
    if (missing !== undefined) return `an object that has ${missing}`;
    for (const [name, check] of Object.entries(checks)) {
      const expected = value[name] === undefined ? undefined : check(value[name]);
      if (expected !== undefined) return `an object whose ${name} is ${expected}`;
    }
    return undefined;
  };
}

export const isPreloadLibraries = isObjectOf({
  use_defaults: isFlag,
  enabled_libraries: isListOf(isText, 'strings'),
});
