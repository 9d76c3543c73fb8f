import type { Operation } from '../control-api/wire-types';
import {
  laterPageLimit,
  type OperationPages,
  type Page,
  type PagesQuery,
  usualLimit,
  walkPages,
} from '../operations/operation-pages';
import { isFiltering, matchesFilter, type OperationFilter } from './operation-filter';

export type OperationQuery = PagesQuery & OperationFilter;

/** The matching operations of each page, newest first. Each page is requested only when the caller gets to it. */
export async function* walkOperationPages(
  source: OperationPages,
  query: OperationQuery,
): AsyncGenerator<readonly Operation[]> {
  for await (const { operations } of walkPages(source, query))
    yield operations.filter((operation) => matchesFilter(operation, query));
}

/** The first `limit` matching operations, newest first. The cursor leads to the rest; undefined when there is none. */
export async function takeOperations(
  source: OperationPages,
  query: OperationQuery,
  limit: number,
): Promise<{ operations: readonly Operation[]; cursor: string | undefined }> {
  const taken: Operation[] = [];
  // Without a filter every operation counts, so the last page can end exactly at the limit.
  const mostNeeded = () => (isFiltering(query) ? laterPageLimit : limit - taken.length);
  const limitOf = (pagesSoFar: number) => Math.min(usualLimit(pagesSoFar), mostNeeded());
  for await (const page of walkPages(source, query, limitOf)) {
    const matching = page.operations.filter((operation) => matchesFilter(operation, query));
    taken.push(...matching.slice(0, limit - taken.length));
    const last = taken.at(-1);
    if (last && taken.length === limit)
      return { operations: taken, cursor: await findCursorBehind(last, page, source, query.projectId) };
  }
  return { operations: taken, cursor: undefined };
}

/**
 * The cursor behind an operation in the middle of a page. The service returns cursors only for the end of a page, so
 * this requests pages until one ends at the operation. New operations can shift a page that has no start.
 */
async function findCursorBehind(
  last: Operation,
  page: Page,
  source: OperationPages,
  projectId: string,
): Promise<string | undefined> {
  const ids = page.operations.map(({ id }) => id);
  const end = ids.indexOf(last.id);
  if (end === ids.length - 1) return page.next;
  let from = page.start;
  for (let missing = end + 1; missing > 0; ) {
    const query = { limit: missing, ...(from !== undefined && { cursor: from }) };
    const response = await source.listOperations(projectId, query);
    const next = response.pagination?.cursor;
    if (next === undefined || next === from) return undefined;
    from = next;
    missing = end - ids.indexOf(response.operations.at(-1)?.id ?? '');
  }
  return from;
}
