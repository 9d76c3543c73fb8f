import type { BranchRecord } from '../records/records';
import { isLockTimeout } from './admin';
import type { Cluster } from './cluster';
import { hasRoles } from './cluster-state';

/** What a change of a cluster's roles and databases can require of its clients. */
export interface Clients {
  dropConnections(cluster: Cluster): Promise<void>;
  takeDownStandbys(primary: Cluster, branch: BranchRecord): void;
}

/**
 * In a turn of the cluster, before clients connect: they are not locked out by a change that fails. The next start makes it
 * again, except the removal of a role that Postgres refuses.
 * @throws Error when not even the first roles can be created
 */
export async function updateIfPossible(
  cluster: Cluster,
  branch: BranchRecord,
  clients: Clients,
): Promise<void> {
  try {
    await updateAccess(cluster, branch, clients);
  } catch (error) {
    if (!hasRoles(cluster.state)) throw error;
  }
}

/** Gives a cluster, in a turn of it, the roles and databases of its branch. @throws Error if Postgres refuses a change */
export async function updateAccess(cluster: Cluster, branch: BranchRecord, clients: Clients): Promise<void> {
  const isAheadOfStandbys = cluster.server === undefined && !cluster.isUpToDate(branch);
  try {
    await attempt(cluster, branch, clients);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    await clients.dropConnections(cluster);
    await attempt(cluster, branch, clients);
  }
  // A server that ran only for the change has not sent it to them.
  if (isAheadOfStandbys) clients.takeDownStandbys(cluster, branch);
}

/** Clients are cut off when a role or a password is new, as in the service. */
async function attempt(cluster: Cluster, branch: BranchRecord, clients: Clients): Promise<void> {
  const before = cluster.state.access.roles;
  try {
    await cluster.update(branch);
  } finally {
    const isNew = ([name, time]: [string, string]) => before[name] !== time;
    if (cluster.server !== undefined && Object.entries(cluster.state.access.roles).some(isNew))
      await clients.dropConnections(cluster);
  }
}
