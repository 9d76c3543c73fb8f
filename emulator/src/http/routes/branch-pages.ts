import { z } from 'zod';
import type { Branch } from '../../records/wire-types';
import { oneOf } from '../../validation/schemas';
import { queryText, queryWhole, readQuery } from './query-parameters';

const QUERY = z.object({
  sort_by: queryText.pipe(oneOf('updated_at', 'created_at', 'name')).default('updated_at'),
  sort_order: queryText.pipe(oneOf('asc', 'desc')).default('desc'),
  cursor: queryText
    .transform((cursor) => Buffer.from(cursor, 'base64url').toString())
    .refine((rank) => rank.includes('\0'), 'the cursor of an earlier response')
    .optional(),
  limit: queryWhole(1, 10_000).default(Number.POSITIVE_INFINITY),
});

/** The page of branches that the query selects. It has a `next` cursor if there are more. */
export function pageOfBranches(branches: readonly Branch[], query: unknown) {
  const { sort_by, sort_order, cursor: after, limit } = readQuery(QUERY, query);
  // The id decides between equal values.
  const rankOf = (branch: Branch) => `${branch[sort_by]}\0${branch.id}`;
  const isLater = (rank: string, other: string) => (sort_order === 'asc' ? rank > other : rank < other);
  const rest = branches
    .filter((branch) => after === undefined || isLater(rankOf(branch), after))
    .toSorted((one, other) => (isLater(rankOf(one), rankOf(other)) ? 1 : -1));
  const page = rest.slice(0, limit);
  const last = rest.length > page.length ? page.at(-1) : undefined;
  const next = last === undefined ? {} : { next: Buffer.from(rankOf(last)).toString('base64url') };
  return { branches: page, pagination: { ...next, sort_by, sort_order } };
}
