import { orderBy, uniqBy } from 'lodash';
import type { ControlApi } from '../control-api/control-api';
import type { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { isFiltering, matchesFilter, type OperationFilter } from './operation-filter';

export type OperationPages = Pick<ControlApi, 'listOperations'>;

export interface OperationQuery extends OperationFilter {
  readonly projectId: string;
  /** Where the list begins: the cursor of a page or of `takeOperations`. @default the newest operation */
  readonly cursor?: string | undefined;
  /** Bounds each request. */
  readonly deadline?: Deadline | undefined;
}

/** One unfiltered page: each operation once, newest first, and none of the previous page. */
interface Page {
  readonly operations: readonly Operation[];
  /** The cursor of this page; undefined for the newest operations. */
  readonly start: string | undefined;
  /** The cursor of the next page; undefined after the last. */
  readonly next: string | undefined;
}

/** The first page is small, so that it arrives quickly; the others are as large as the service allows. */
const firstPageLimit = 100;
const laterPageLimit = 1_000;
const usualLimit = (pagesSoFar: number): number => (pagesSoFar === 0 ? firstPageLimit : laterPageLimit);
/** A million operations, more than any project keeps. If there are more pages, the service is faulty. */
const mostPages = 1_000;

/** The matching operations of each page, newest first. Each page is requested only when the caller gets to it. */
export async function* walkOperationPages(
  source: OperationPages,
  query: OperationQuery,
): AsyncGenerator<readonly Operation[]> {
  for await (const { operations } of walkPages(source, query))
    yield operations.filter((operation) => matchesFilter(operation, query));
}

async function* walkPages(
  source: OperationPages,
  { projectId, cursor, deadline }: OperationQuery,
  limitOf = usualLimit,
): AsyncGenerator<Page> {
  const starts = new Set<string | undefined>();
  let start = cursor;
  let seen: ReadonlySet<string> = new Set();
  while (starts.size < mostPages) {
    const page = { limit: limitOf(starts.size), ...(start !== undefined && { cursor: start }) };
    starts.add(start);
    const response = await source.listOperations(projectId, page, deadline && { deadline });
    // A page shorter than its limit need not be the last. A page without a new operation is.
    const unseen = uniqBy(response.operations, 'id').filter(({ id }) => !seen.has(id));
    const operations = orderBy(unseen, ({ created_at }) => Date.parse(created_at), 'desc');
    if (operations.length === 0) return;
    const cursorBehind = response.pagination?.cursor;
    // A repeated cursor would lead in a circle.
    const next = starts.has(cursorBehind) ? undefined : cursorBehind;
    yield { operations, start, next };
    if (next === undefined) return;
    seen = new Set(response.operations.map(({ id }) => id));
    start = next;
  }
  throw new Error(
    `GET /projects/${projectId}/operations: the list does not end: page ${mostPages} still has a cursor to the next.`,
  );
}

/** How far back from the newest operation to search for unfinished ones. Milliseconds. */
const searchBackMs = 24 * 60 * 60 * 1_000;

/**
 * The operations of a project since a point in time, newest first, and any older ones on the same pages. Stops after
 * the first page whose last operation is older than that time, or more than a day older than the newest operation.
 * @param since returns the point in time by the clock of the service, in milliseconds
 */
export async function listOperationsSince(
  source: OperationPages,
  projectId: string,
  since: (newestAt: number) => number,
  deadline?: Deadline,
): Promise<Operation[]> {
  const found: Operation[] = [];
  let oldestAt: number | undefined;
  for await (const { operations } of walkPages(source, { projectId, deadline }, () => laterPageLimit)) {
    const createdAt = operations.map(({ created_at }) => Date.parse(created_at));
    const [newestAt = 0] = createdAt;
    oldestAt ??= Math.max(since(newestAt), newestAt - searchBackMs);
    found.push(...operations);
    const lastAt = createdAt.at(-1) ?? 0;
    if (lastAt < oldestAt) break;
  }
  return found;
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
