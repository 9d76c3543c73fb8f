import type { ControlApi } from '../control-api/control-api';
import type { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { isFiltering, isWanted, type OperationFilter } from './operation-filter';

/** Where pages of operations come from. */
export type OperationPages = Pick<ControlApi, 'listOperations'>;

export interface OperationQuery extends OperationFilter {
  readonly projectId: string;
  /** Where to begin: the cursor of a page, or of `takeOperations`. @default the newest operation */
  readonly cursor?: string | undefined;
}

/** One page of the walk. */
interface Page {
  readonly operations: readonly Operation[];
  /** Where it begins; undefined for the newest operation. */
  readonly start: string | undefined;
  /** Where the next page begins; undefined after the last. */
  readonly next: string | undefined;
}

/** The first page is small, so that it is there soon; the others are as large as the service allows. */
const firstPageLimit = 100;
const laterPageLimit = 1_000;
/** A million operations: more than any project keeps. A service whose pages go on beyond that is broken. */
const mostPages = 1_000;

/**
 * The wanted operations of each page, newest first; there may be none on a page. A page is asked for when it is needed,
 * and not before.
 */
export async function* walkOperationPages(
  source: OperationPages,
  query: OperationQuery,
): AsyncGenerator<readonly Operation[]> {
  for await (const { operations } of walkPages(source, query))
    yield operations.filter((operation) => isWanted(operation, query));
}

async function* walkPages(
  source: OperationPages,
  {
    projectId,
    cursor,
    deadline,
  }: Pick<OperationQuery, 'projectId' | 'cursor'> & { deadline?: Deadline | undefined },
  largest: () => number = () => laterPageLimit,
  first = firstPageLimit,
): AsyncGenerator<Page> {
  const starts = new Set<string | undefined>();
  let start = cursor;
  let seen: ReadonlySet<string> = new Set();
  for (let limit = Math.min(first, largest()); starts.size < mostPages; limit = largest()) {
    starts.add(start);
    const query = { limit, ...(start !== undefined && { cursor: start }) };
    const page = await source.listOperations(projectId, query, deadline && { deadline });
    // A page that is shorter than its limit need not be the last; one that brings nothing new is.
    const operations = page.operations.filter(({ id }) => !seen.has(id));
    if (operations.length === 0) return;
    const cursorBehind = page.pagination?.cursor;
    // A cursor that was there before leads in a circle.
    const next = starts.has(cursorBehind) ? undefined : cursorBehind;
    yield { operations, start, next };
    if (next === undefined) return;
    seen = new Set(page.operations.map(({ id }) => id));
    start = next;
  }
  throw new Error(
    `GET /projects/${projectId}/operations: the list has no end: ${mostPages} pages, and a cursor to the next.`,
  );
}

/** How far back an unfinished operation is looked for, from the newest one on. Milliseconds. */
const lookBackMs = 24 * 60 * 60 * 1_000;

/**
 * The operations of a project since a point in time, newest first, and older ones that stand on the same pages. Pages
 * are read until their operations are older than that, or than a day before the newest one.
 * @param since by the clock of the service, in milliseconds
 */
export async function listOperationsSince(
  source: OperationPages,
  projectId: string,
  since: (newestAt: number) => number,
  deadline?: Deadline,
): Promise<Operation[]> {
  const found: Operation[] = [];
  let oldestAt: number | undefined;
  for await (const { operations } of walkPages(source, { projectId, deadline }, undefined, laterPageLimit)) {
    const createdAt = operations.map(({ created_at }) => Date.parse(created_at));
    const [newestAt = 0] = createdAt;
    oldestAt ??= Math.max(since(newestAt), newestAt - lookBackMs);
    found.push(...operations);
    const lastAt = createdAt.at(-1) ?? 0;
    if (lastAt < oldestAt) break;
  }
  return found;
}

/** A part of the list, and where the rest begins. */
export interface OperationsTaken {
  readonly operations: readonly Operation[];
  /** Where the rest begins; undefined when there is none. */
  readonly cursor: string | undefined;
}

/** The first `limit` of the wanted operations, newest first, and the cursor behind the last of them. */
export async function takeOperations(
  source: OperationPages,
  query: OperationQuery,
  limit: number,
): Promise<OperationsTaken> {
  const taken: Operation[] = [];
  // Without a filter every operation counts, so the last page ends where the list is cut.
  const largest = () => Math.min(laterPageLimit, isFiltering(query) ? laterPageLimit : limit - taken.length);
  for await (const page of walkPages(source, query, largest)) {
    const wanted = page.operations.filter((operation) => isWanted(operation, query));
    taken.push(...wanted.slice(0, limit - taken.length));
    const last = taken.at(-1);
    if (last && taken.length === limit)
      return { operations: taken, cursor: await findCursorBehind(last, page, source, query) };
  }
  return { operations: taken, cursor: undefined };
}

/**
 * The cursor behind an operation of a page. Only the service makes cursors, and only for the end of a page; so it is
 * asked for pages that end there. Without a start, the newest operations move the first page on meanwhile.
 */
async function findCursorBehind(
  last: Operation,
  page: Page,
  source: OperationPages,
  { projectId }: OperationQuery,
): Promise<string | undefined> {
  const ids = page.operations.map(({ id }) => id);
  const end = ids.indexOf(last.id);
  if (end === ids.length - 1) return page.next;
  let from = page.start;
  for (let missing = end + 1; missing > 0; ) {
    const query = { limit: missing, ...(from !== undefined && { cursor: from }) };
    const answer = await source.listOperations(projectId, query);
    const next = answer.pagination?.cursor;
    if (next === undefined || next === from) return undefined;
    from = next;
    missing = end - ids.indexOf(answer.operations.at(-1)?.id ?? '');
  }
  return from;
}
