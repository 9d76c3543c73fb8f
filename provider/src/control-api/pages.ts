import { ControlApiError } from './control-api-error';
import { malformedResponseCode } from './failure-meaning';

/** After so many empty pages in a row, each with another cursor, a list is at its end. */
export const mostEmptyPages = 10;

interface Page<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page; undefined after the last. */
  readonly next: string | undefined;
}

/**
 * The items of all pages, each once. A page that is not full need not be the last, not even an empty one: the service may allow
 * fewer items than asked for. A page that only repeats items is the last.
 * @throws ControlApiError when a full page, or its cursor, repeats an earlier one: what follows can't be read
 */
export async function readPages<Item extends { readonly id: string }>(
  path: string,
  limit: number,
  read: (page: { limit: number; cursor?: string }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const all = new Map<string, Item>();
  const cursors = new Set<string>();
  let emptyPages = 0;
  for (let cursor: string | undefined; ; ) {
    const { items, next } = await read({ limit, ...(cursor !== undefined && { cursor }) });
    const before = all.size;
    for (const item of items) all.set(item.id, item);
    if (next === undefined) return [...all.values()];
    emptyPages = items.length > 0 ? 0 : emptyPages + 1;
    const isRepeated = all.size === before && items.length > 0;
    if (isRepeated || cursors.has(next) || emptyPages === mostEmptyPages) {
      if (items.length < limit) return [...all.values()];
      const reason = `the list repeats itself after ${all.size} items, so it can't be read to its end.`;
      throw unusableList(path, reason);
    }
    cursors.add(next);
    cursor = next;
  }
}

export function unusableList(path: string, reason: string): ControlApiError {
  return new ControlApiError({ method: 'GET', path, code: malformedResponseCode, reason });
}
