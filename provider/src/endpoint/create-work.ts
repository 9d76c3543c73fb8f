import { rereadUntil } from '../control-api/read-lag';
import type { Endpoint } from '../control-api/wire-types';
import type { ResourceClaims } from '../lifecycle/resource-claims';
import type { Declaration } from './endpoint-inputs';
import type { EndpointWork } from './endpoint-operations';
import type { CreateTarget } from './existing-endpoint';

/** What a create works on, and a later search for what it has left. */
export type CreateWork = Omit<EndpointWork, 'endpointId' | 'action' | 'allowsRestart'> & {
  readonly target: CreateTarget;
  readonly claims: ResourceClaims;
  readonly declaration: Declaration;
};

/** How long a list may take at least, also after the deadline of the create. Milliseconds. */
const longestListMs = 30_000;

/** Lists the endpoints until something is found, or until reads can no longer lag behind. */
export function findListed<Found>(
  { project: { endpoints, readLagMs }, deadline }: CreateWork,
  find: (endpoints: readonly Endpoint[]) => Found | undefined,
  lagMs = readLagMs,
): Promise<Found | undefined> {
  const listMs = Math.max(longestListMs, deadline.remainingMs);
  const list = () => deadline.next(listMs).bound(endpoints.fresh(), 'list of the endpoints');
  const read = async () => find(await list());
  return rereadUntil(
    deadline.next(Math.min(lagMs, deadline.remainingMs)),
    read,
    (found) => found !== undefined,
  );
}
