import { findFree } from './resource-names';
import type { ManagedResource } from './state-file';

/**
 * A name for each resource from what the other tool calls it, unique among the resources of its kind: `reports-replica-eu` for
 * `module.reports.neon_endpoint.replica["eu"]`, and the last part of a URN.
 * @returns the names by id
 */
export function nameById(resources: readonly ManagedResource[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  return new Map(
    resources.map(({ kind, id, address }) => {
      const name = findFree(toName(address), (proposal) => taken.has(`${kind} ${proposal}`));
      taken.add(`${kind} ${name}`);
      return [id, name];
    }),
  );
}

function toName(address: string): string {
  const own = address.startsWith('urn:') ? address.slice(address.lastIndexOf('::') + 2) : address;
  const words = own.replaceAll(/(^|\.)(module|neon_endpoint|neon_branch|neon_role|neon_database)\./g, '$1');
  return words.replaceAll(/[^\w]+/g, '-').replaceAll(/^-|-$/g, '') || 'resource';
}
