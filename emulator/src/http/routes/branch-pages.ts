import { z } from 'zod';
import type { Branch } from '../../records/wire-types';
import { oneOf } from '../../validation/schemas';
import { queryText, queryWhole, readQuery } from './query-parameters';

const QUERY = z.object({
  sort_by: queryText.pipe(oneOf('updated_at', 'created_at', 'name')).default('updated_at'),
  sort_order: queryText.pipe(oneOf('asc', 'desc')).default('desc'),
  cursor: queryText
    .transform((cursor) => Buffer.from(cursor, 'base64url').toString().split('\0', 2))
    .pipe(z.tuple([z.string(), z.string()], 'the cursor of an earlier response'))
    .optional(),
  limit: queryWhole(1, 10_000).default(Number.POSITIVE_INFINITY),
});

/** The sort key of a branch. The id decides between equal values. */
type Rank = readonly [value: string, id: string];

/** The page of branches that the query selects. It has a `next` cursor if there are more. */
export function pageOfBranches(branches: readonly Branch[], query: unknown) {
  const { sort_by, sort_order, cursor: after, limit } = readQuery(QUERY, query);
  const direction = sort_order === 'asc' ? 1 : -1;
  const rankOf = (branch: Branch): Rank => [branch[sort_by], branch.id];
  const rest = branches
    .filter((branch) => after === undefined || direction * compareRanks(rankOf(branch), after) > 0)
    .toSorted((one, other) => direction * compareRanks(rankOf(one), rankOf(other)));
  const page = rest.slice(0, limit);
  const last = rest.length > page.length ? page.at(-1) : undefined;
  const next = last === undefined ? {} : { next: toCursor(rankOf(last)) };
  return { branches: page, pagination: { ...next, sort_by, sort_order } };
}

function compareRanks([value, id]: Rank, [otherValue, otherId]: Rank): number {
  if (value !== otherValue) return value < otherValue ? -1 : 1;
  if (id === otherId) return 0;
  return id < otherId ? -1 : 1;
}

function toCursor(rank: Rank): string {
  return Buffer.from(rank.join('\0')).toString('base64url');
}
