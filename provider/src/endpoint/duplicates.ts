import type { Endpoint } from '../control-api/wire-types';
import { type CreateWork, findListed } from './create-work';
import { deleteEndpoint } from './endpoint-delete';
import { type CreateTarget, createdAt, isBefore, isSamePlace } from './existing-endpoint';

// Which endpoints other creates of a resource have left. A create deletes them; if it fails, the next update or delete does.

/**
 * Whose endpoints stay. Before a delete, `any resource` also keeps this resource's successor, which has the same derived name.
 */
export type Keepers = 'other resources' | 'any resource';

/**
 * How much older than the endpoint a duplicate may be that a failed create has left. A create lists just before it sends its
 * request, so it can't miss one that is much older. Milliseconds.
 */
const missedMs = 60_000;

/**
 * Deletes the duplicates that a failed create may have left, as the state records.
 * @param startedAt when this action started, to look until lists can no longer lag behind its start. Local time. @default only by
 * the first list that shows the endpoint itself
 * @returns whether a list shows the endpoint itself: one that does not proves nothing
 */
export async function deleteLeftDuplicates(
  work: CreateWork,
  id: string,
  keptBy: Keepers,
  startedAt?: number,
): Promise<boolean> {
  const isListed = (endpoints: readonly Endpoint[]) => endpoints.some((listed) => listed.id === id);
  const find = (endpoints: readonly Endpoint[]) => findDuplicates(work.target, endpoints, id, missedMs)[0];
  if (startedAt === undefined) await findListed(work, (endpoints) => isListed(endpoints) || undefined);
  else await findListed(work, find, startedAt + work.project.readLagMs - Date.now());
  return deleteDuplicates(work, id, keptBy, missedMs);
}

/**
 * Deletes what other creates of this resource left: those that were killed, or that another process runs now.
 * @returns whether the list shows the endpoint itself
 */
export async function deleteDuplicates(
  { project, target, claims, declaration, deadline, progress }: CreateWork,
  id: string,
  keptBy: Keepers = 'other resources',
  olderMs = 0,
): Promise<boolean> {
  const listed = project.endpoints.latest;
  // A resource that was renamed keeps the derived name of its old URN, which a new resource may have now.
  const isKept = (keeper: string | undefined) =>
    keeper !== undefined && (keptBy === 'any resource' || keeper !== declaration.resource.urn);
  for (const duplicate of findDuplicates(target, listed, id, olderMs)) {
    // A create of another resource may have returned it since.
    if (!isKept(claims.keeperOf(duplicate.id, undefined)))
      await deleteEndpoint(project, duplicate.id, deadline, progress);
  }
  return listed.some((endpoint) => endpoint.id === id);
}

/**
 * Duplicates that other creates of this resource left: those of a killed process, or repeated while lists lagged behind. They
 * are younger, or older by less than `olderMs`. An older one stays: the create that it belongs to deletes the endpoint of that id.
 * @param olderMs how much older a duplicate may be: above 0 only once the create that made it has ended. Milliseconds
 */
export function findDuplicates(
  { derivedNames, inputs }: CreateTarget,
  endpoints: readonly Endpoint[],
  id: string,
  olderMs = 0,
): Endpoint[] {
  const kept = endpoints.find((endpoint) => endpoint.id === id);
  if (!kept) return [];
  const isDuplicate = (endpoint: Endpoint) =>
    endpoint.id !== id && (isBefore(kept, endpoint) || createdAt(kept) - createdAt(endpoint) < olderMs);
  const own = endpoints.filter(({ name = '' }) => derivedNames.includes(name));
  return own.filter((endpoint) => isSamePlace(endpoint, inputs) && isDuplicate(endpoint));
}

/** An older endpoint that another process created for the same resource, and may have renamed since. */
export function findOlderDuplicate(
  { derivedNames, inputs }: CreateTarget,
  endpoints: readonly Endpoint[],
  created: Endpoint,
): Endpoint | undefined {
  const names = [...derivedNames, inputs.name];
  // The response to the create may tell another time than the lists, by which every process must decide alike.
  const listed = endpoints.find(({ id }) => id === created.id) ?? created;
  return endpoints.find((endpoint) => {
    // With `adopt` the program may give no name; endpoints without one have nothing else in common.
    const isNamed = endpoint.name !== undefined && names.includes(endpoint.name);
    return isNamed && isSamePlace(endpoint, inputs) && isBefore(endpoint, listed);
  });
}
