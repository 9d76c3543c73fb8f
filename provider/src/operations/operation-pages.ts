import { orderBy, uniqBy } from 'lodash';
import type { ControlApi } from '../control-api/control-api';
import type { Deadline } from '../control-api/deadline';
import { mostEmptyPages } from '../control-api/pages';
import type { Operation } from '../control-api/wire-types';

export type OperationPages = Pick<ControlApi, 'listOperations'>;

export interface PagesQuery {
  readonly projectId: string;
  /** Where the list begins: the cursor of a page or of `takeOperations`. @default the newest operation */
  readonly cursor?: string | undefined;
  /** Bounds each request. */
  readonly deadline?: Deadline | undefined;
}

/** One unfiltered page: each operation once, newest first, and none of the previous page. */
export interface Page {
  readonly operations: readonly Operation[];
  /** The cursor of this page; undefined for the newest operations. */
  readonly start: string | undefined;
  /** The cursor of the next page; undefined after the last. */
  readonly next: string | undefined;
}

/** The first page is small, so that it arrives quickly; the others are as large as the service allows. */
const firstPageLimit = 100;
export const laterPageLimit = 1_000;
export const usualLimit = (pagesSoFar: number): number =>
  pagesSoFar === 0 ? firstPageLimit : laterPageLimit;
/** A million operations, more than any project keeps. If there are more pages, the service is faulty. */
const mostPages = 1_000;

/** The pages, newest first. Each is requested only when the caller gets to it. */
export async function* walkPages(
  source: OperationPages,
  { projectId, cursor, deadline }: PagesQuery,
  limitOf = usualLimit,
): AsyncGenerator<Page> {
  const starts = new Set<string | undefined>();
  let start = cursor;
  let seen: ReadonlySet<string> = new Set();
  let emptyPages = 0;
  while (starts.size < mostPages) {
    const page = { limit: limitOf(starts.size), ...(start !== undefined && { cursor: start }) };
    starts.add(start);
    const response = await source.listOperations(projectId, page, deadline && { deadline });
    // A short or empty page need not be the last. A page that only repeats operations is the last.
    const unseen = uniqBy(response.operations, 'id').filter(({ id }) => !seen.has(id));
    const operations = orderBy(unseen, ({ created_at }) => Date.parse(created_at), 'desc');
    if (operations.length === 0 && response.operations.length > 0) return;
    const cursorBehind = response.pagination?.cursor;
    // A repeated cursor would lead in a circle.
    const next = starts.has(cursorBehind) ? undefined : cursorBehind;
    if (operations.length > 0) yield { operations, start, next };
    if (next === undefined) return;
    emptyPages = operations.length > 0 ? 0 : emptyPages + 1;
    if (emptyPages === mostEmptyPages) return;
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
