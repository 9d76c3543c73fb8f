import { badRequest } from '../../records/api-error';
import { parseTimestamp } from '../../records/clock';
import { isId } from '../../requests/attribute-checks';

/** A query parameter that may appear at most once. */
export function readQueryText(query: unknown, name: string): string | undefined {
  // Fastify's parser returns a string for each name, or a list for a repeated name.
  const value = (query as Record<string, string | string[] | undefined>)[name];
  if (Array.isArray(value))
    throw badRequest(`query parameter ${name} appears ${value.length} times: send it once`);
  return value;
}

/**
 * The creation time of the last record of the previous page, in microseconds since 1970; undefined for the first page. No
 * two records share a time, so pages stay exact while records are added, and after the last one of a page is deleted.
 */
export function readCursor(query: unknown): number | undefined {
  const text = readQueryText(query, 'cursor');
  const micros = parseTimestamp(text ?? '');
  if (text === undefined || micros !== undefined) return micros;
  throw badRequest(
    `query parameter cursor must be the cursor of an earlier response; got ${JSON.stringify(text)}`,
  );
}

export function readLimit(query: unknown, bounds: { max: number; fallback: number }): number {
  return readQueryWhole(query, 'limit', { min: 1, max: bounds.max }) ?? bounds.fallback;
}

export function readQueryWhole(
  query: unknown,
  name: string,
  { min, max }: { min: number; max: number },
): number | undefined {
  const text = readQueryText(query, name);
  if (text === undefined) return undefined;
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw badRequest(
    `query parameter ${name} must be a whole number from ${min} to ${max}; got ${JSON.stringify(text)}`,
  );
}

export function readQueryChoice<Choice extends string>(
  query: unknown,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = readQueryText(query, name);
  const choice = choices.find((known) => known === text);
  if (text === undefined || choice !== undefined) return choice;
  throw badRequest(
    `query parameter ${name} must be one of ${choices.join(', ')}; got ${JSON.stringify(text)}`,
  );
}

export function readQueryFlag(query: unknown, name: string): boolean | undefined {
  const choice = readQueryChoice(query, name, ['true', 'false']);
  return choice === undefined ? undefined : choice === 'true';
}

export function readQueryId(query: unknown, name: string): string | undefined {
  const text = readQueryText(query, name);
  const expected = text === undefined ? undefined : isId(text);
  if (expected === undefined) return text;
  throw badRequest(`query parameter ${name} must be ${expected}; got ${JSON.stringify(text)}`);
}
