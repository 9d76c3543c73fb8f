import type { Endpoint } from '../control-api/wire-types';

const maxNameLength = 60;

/**
 * A resource name for each endpoint: made of its own name, else of its branch's, else of its id; lower-case letters,
 * digits and hyphens, and each one once.
 * @param branchNames the names of branches by their ids, as far as they are known
 */
export function nameResources(
  endpoints: readonly Endpoint[],
  branchNames: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const wishes = endpoints.map((endpoint) => ({
    id: endpoint.id,
    wish: wishName(endpoint, branchNames.get(endpoint.branch_id) ?? ''),
  }));
  const taken = new Set<string>();
  return new Map(
    wishes.map(({ id, wish }) => {
      const isShared = wishes.some((other) => other.wish === wish && other.id !== id);
      const name = findFree(isShared ? `${wish}-${toSlug(id)}` : wish, taken);
      taken.add(name);
      return [id, name];
    }),
  );
}

function wishName({ id, name = '', type }: Endpoint, branchName: string): string {
  const suffix = type === 'read_only' ? '-replica' : '';
  const branch = toSlug(branchName);
  return toSlug(name) || (branch && branch + suffix) || toSlug(id) || 'endpoint';
}

function findFree(wish: string, taken: ReadonlySet<string>): string {
  let name = wish;
  for (let number = 2; taken.has(name); number += 1) name = `${wish}-${number}`;
  return name;
}

function toSlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxNameLength)
    .replace(/^-|-$/g, '');
}
