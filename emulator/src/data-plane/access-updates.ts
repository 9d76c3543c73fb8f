import type { BranchRecord } from '../records/records';
import { isLockTimeout } from './admin';
import type { BranchData } from './branch-data';
import type { Cluster } from './cluster';
import { hasRoles } from './cluster-state';

/** What a change of a cluster's roles and databases can require of its clients. */
interface Clients {
  dropConnections(cluster: Cluster): Promise<void>;
  takeDownStandbys(primary: Cluster, branch: BranchRecord): void;
}

/** Gives the clusters the roles and databases of their branches. */
export class AccessUpdates {
  readonly #data: BranchData;
  readonly #clients: Clients;

  constructor(data: BranchData, clients: Clients) {
    this.#data = data;
    this.#clients = clients;
  }

  /**
   * For a cluster that has data, or is getting it; otherwise its first start does it. Rejects with the reason if Postgres
   * refuses a change.
   */
  apply(branch: BranchRecord): Promise<void> | undefined {
    const { id } = branch.wire;
    const cluster = this.#data.of(id);
    if (!cluster.exists && this.#data.copies.of(id) === undefined) return undefined;
    return cluster.inTurn(async () => {
      if (cluster.exists) await this.#update(cluster, branch);
    });
  }

  /**
   * In a turn of the cluster, before clients connect: they are not locked out by a change that fails. The next start makes it
   * again, except the removal of a role that Postgres refuses.
   * @throws Error when not even the first roles can be created
   */
  async updateIfPossible(cluster: Cluster, branch: BranchRecord): Promise<void> {
    try {
      await this.#update(cluster, branch);
    } catch (error) {
      if (!hasRoles(cluster.state)) throw error;
    }
  }

  async #update(cluster: Cluster, branch: BranchRecord): Promise<void> {
    const isAheadOfStandbys = cluster.server === undefined && !cluster.isUpToDate(branch);
    try {
      await this.#attempt(cluster, branch);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      await this.#clients.dropConnections(cluster);
      await this.#attempt(cluster, branch);
    }
    // A server that ran only for the change has not sent it to them.
    if (isAheadOfStandbys) this.#clients.takeDownStandbys(cluster, branch);
  }

  /** Clients are cut off when a role or a password is new, as in the service. */
  async #attempt(cluster: Cluster, branch: BranchRecord): Promise<void> {
    const before = cluster.state.access.roles;
    try {
      await cluster.update(branch);
    } finally {
      const isNew = ([name, time]: [string, string]) => before[name] !== time;
      if (cluster.server !== undefined && Object.entries(cluster.state.access.roles).some(isNew))
        await this.#clients.dropConnections(cluster);
    }
  }
}
