import { countBy } from 'lodash';
import type { Endpoint } from '../control-api/wire-types';

const maxNameLength = 60;

/**
 * A unique resource name for each endpoint, in lower-case letters, digits and hyphens. It is made from the endpoint's
 * name, otherwise from its branch's name, otherwise from its id.
 * @param branchNames the known names of branches, by branch id
 * @returns the names by endpoint id
 */
export function nameResources(
  endpoints: readonly Endpoint[],
  branchNames: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  return nameUniquely(
    endpoints.map((endpoint) => ({
      id: endpoint.id,
      proposal: proposeName(endpoint, branchNames.get(endpoint.branch_id) ?? ''),
      addition: endpoint.id,
    })),
  );
}

/**
 * A name for each resource of one type, in the same letters.
 * @param items the proposal for each, and what makes it differ from the same proposal for another one
 * @returns the names by id
 */
export function nameUniquely(
  items: readonly { readonly id: string; readonly proposal: string; readonly addition: string }[],
): ReadonlyMap<string, string> {
  const proposals = items.map((item) => ({
    ...item,
    proposal: toSlug(item.proposal) || toSlug(item.addition),
  }));
  const uses = countBy(proposals, 'proposal');
  const taken = new Set<string>();
  return new Map(
    proposals.map(({ id, proposal, addition }) => {
      const name = findFree(uses[proposal] === 1 ? proposal : `${proposal}-${toSlug(addition)}`, (one) =>
        taken.has(one),
      );
      taken.add(name);
      return [id, name];
    }),
  );
}

function proposeName({ id, name = '', type }: Endpoint, branchName: string): string {
  const suffix = type === 'read_only' ? '-replica' : '';
  const branch = toSlug(branchName);
  return toSlug(name) || (branch && branch + suffix) || toSlug(id) || 'endpoint';
}

/** The proposal, or else the proposal with a number. */
export function findFree(proposal: string, isTaken: (name: string) => boolean): string {
  let name = proposal;
  for (let number = 2; isTaken(name); number += 1) name = `${proposal}-${number}`;
  return name;
}

function toSlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxNameLength)
    .replace(/^-|-$/g, '');
}
