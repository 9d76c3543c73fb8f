import { sortBy } from 'lodash';
import { toPrintable } from '../control-api/printable';

/** How many existing names an error lists. */
const mostNames = 50;

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Not exactly one item has the name. */
export class LookupError extends Error {
  override readonly name = 'LookupError';
}

/** What is looked up, for the errors: `where` such as `Project cool-lake-12345678`, `kind` such as `branch`. */
interface Lookup {
  readonly where: string;
  readonly kind: string;
}

/**
 * The one item of that name.
 * @throws LookupError when none has the name, with the names that exist; or when several have it, with their ids
 */
export function requireNamed<Item extends Named>(items: readonly Item[], name: string, lookup: Lookup): Item {
  const named = items.filter((item) => item.name === name);
  const [found, ...others] = named;
  if (found && others.length === 0) return found;
  const { where, kind } = lookup;
  if (found)
    throw new LookupError(`${where} has several of the name "${name}": ${list(named, 'id')}. Give the id.`);
  const existing = items.length > 0 ? `It has: ${list(items, 'name')}` : 'It has none';
  throw new LookupError(`${where} has no ${kind} of the name "${name}". ${existing}.`);
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
  const texts = sortBy(items, by).map(({ id, name }) => toPrintable(by === 'id' ? id : `${name} (${id})`));
  const rest = texts.length - mostNames;
  return texts.slice(0, mostNames).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
