import { get, sortBy } from 'lodash';
import { joinFirst, toPrintable } from '../control-api/printable';
import type { Redact } from '../control-api/redaction';

/** How many existing names an error lists. */
const mostNames = 50;

interface Named {
  readonly id: string;
  readonly name?: string | undefined;
}

/** Not exactly one item has the name. */
export class LookupError extends Error {
  override readonly name = 'LookupError';
}

/** What is looked up, for the errors: `where` such as `Project cool-lake-12345678`, `kind` such as `branch`. */
interface Lookup {
  /** Redacts the key, which a name may hold. */
  readonly redact: Redact;
  readonly where: string;
  readonly kind: string;
}

/**
 * The one item of that name.
 * @throws LookupError when no item has the name (lists the names), or several have it (lists their ids)
 */
export function requireNamed<Item extends Named>(items: readonly Item[], name: string, lookup: Lookup): Item {
  const named = items.filter((item) => item.name === name);
  const [found, ...others] = named;
  if (found && others.length === 0) return found;
  const { where, kind, redact } = lookup;
  const fail = (problem: string) => new LookupError(toPrintable(redact(problem)));
  if (found)
    throw fail(`${where} has more than one ${kind} named "${name}": ${list(named, 'id')}. Give the id.`);
  const existing = items.length > 0 ? `It has: ${list(items, 'name')}` : 'It has none';
  throw fail(`${where} has no ${kind} named "${name}". ${existing}.`);
}

/**
 * The service could take an empty id as an absent one, and answer for the default branch, endpoint or organization. JavaScript checks no
 * required argument.
 * @throws Error when an argument is empty, or a required one is missing
 */
export function requireFilled(functionName: string, args: object, required: readonly string[] = []): void {
  const missing = required.find((name) => get(args, name) === undefined);
  if (missing !== undefined) throw new Error(`${functionName}: ${missing} is missing.`);
  const [empty] = Object.entries(args).find(([, value]) => value === '') ?? [];
  if (empty !== undefined) throw new Error(`${functionName}: ${empty} must not be empty.`);
}

/** The item of that id, or otherwise the one of that name. */
export function requireIdOrName<Item extends Named>(
  items: readonly Item[],
  idOrName: string,
  lookup: Lookup,
): Item {
  return items.find(({ id }) => id === idOrName) ?? requireNamed(items, idOrName, lookup);
}

function list(items: readonly Named[], by: 'id' | 'name'): string {
  const texts = sortBy(items, by).map(({ id, name }) => (by === 'id' || !name ? id : `${name} (${id})`));
  return joinFirst(texts, mostNames, 'more');
}
