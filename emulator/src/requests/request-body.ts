import { badRequest } from '../records/api-error';
import { type Checks, isObject } from './attribute-checks';

export type UnknownAttributes = 'ignore' | 'reject';

/** The object under `key` of a request body; an absent body counts as an empty object when `optional`. */
export function readSection(body: unknown, key: string, optional = false): Record<string, unknown> {
  if (body === undefined && optional) return {};
  if (!isObject(body)) throw badRequest(`the request body must be an object with ${key}`);
  const section = body[key];
  if (section === undefined && optional) return {};
  if (!isObject(section))
    throw badRequest(`the request body must have ${key}, an object; got ${show(section)}`);
  return section;
}

/** The known attributes of a section, each checked. Unknown attributes are ignored or rejected. */
export function readAttributes(
  section: Record<string, unknown>,
  path: string,
  checks: Checks,
  unknownAttributes: UnknownAttributes,
): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(section)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined) {
      if (unknownAttributes === 'ignore') continue;
      throw badRequest(`${path}.${name} is not an attribute of this request`);
    }
    const expected = check(value);
    if (expected !== undefined) throw badRequest(`${path}.${name} must be ${expected}; got ${show(value)}`);
    attributes[name] = value;
  }
  return attributes;
}

/** The named attributes that are present. Drops every other attribute of a nested object. */
export function pickPresent<T extends object, Name extends keyof T>(
  source: T,
  names: readonly Name[],
): Partial<Pick<T, Name>> {
  const present = names.filter((name) => source[name] !== undefined);
  // Object.fromEntries() returns an object with any keys.
  return Object.fromEntries(present.map((name) => [name, source[name]])) as Partial<Pick<T, Name>>;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
