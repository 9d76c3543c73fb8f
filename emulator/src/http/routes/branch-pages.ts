import { badRequest } from '../../records/api-error';
import type { Branch } from '../../records/wire-types';
import { readLimit, readQueryChoice, readQueryText } from './query-parameters';

const SORT_FIELDS = ['updated_at', 'created_at', 'name'] as const;
const LIMIT = { max: 10_000, fallback: Number.POSITIVE_INFINITY };

/** The sort key of a branch. The id decides between equal values. */
type Rank = readonly [value: string, id: string];

interface BranchPage {
  readonly branches: Branch[];
  readonly pagination: { readonly next?: string; readonly sort_by: string; readonly sort_order: string };
}

/** The page of branches that the query selects. It has a `next` cursor if there are more. */
export function pageOfBranches(branches: readonly Branch[], query: unknown): BranchPage {
  const sortBy = readQueryChoice(query, 'sort_by', SORT_FIELDS) ?? 'updated_at';
  const sortOrder = readQueryChoice(query, 'sort_order', ['asc', 'desc'] as const) ?? 'desc';
  const after = readRank(query);
  const limit = readLimit(query, LIMIT);
  const direction = sortOrder === 'asc' ? 1 : -1;
  const rankOf = (branch: Branch): Rank => [branch[sortBy], branch.id];
  const rest = branches
    .filter((branch) => after === undefined || direction * compareRanks(rankOf(branch), after) > 0)
    .toSorted((one, other) => direction * compareRanks(rankOf(one), rankOf(other)));
  const page = rest.slice(0, limit);
  const last = rest.length > page.length ? page.at(-1) : undefined;
  const next = last === undefined ? {} : { next: toCursor(rankOf(last)) };
  return { branches: page, pagination: { ...next, sort_by: sortBy, sort_order: sortOrder } };
}

function compareRanks([value, id]: Rank, [otherValue, otherId]: Rank): number {
  if (value !== otherValue) return value < otherValue ? -1 : 1;
  if (id === otherId) return 0;
  return id < otherId ? -1 : 1;
}

function toCursor(rank: Rank): string {
  return Buffer.from(rank.join('\0')).toString('base64url');
}

function readRank(query: unknown): Rank | undefined {
  const cursor = readQueryText(query, 'cursor');
  if (cursor === undefined) return undefined;
  const [value, id] = Buffer.from(cursor, 'base64url').toString().split('\0');
  if (value !== undefined && id !== undefined) return [value, id];
  throw badRequest(
    `query parameter cursor must be the cursor of an earlier response; got ${JSON.stringify(cursor)}`,
  );
}
