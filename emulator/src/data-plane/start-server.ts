import { SUPERUSER } from '../gateway/computes';
import { maxConnectionsOf } from '../limits/compute-size';
import type { BranchRecord } from '../records/branch-record';
import type { Endpoint } from '../records/wire-types';
import type { BranchData } from './branch-data';
import { type Cluster, limitsOf, type SharedLimits } from './cluster';
import { writeSettings } from './pg-settings';

/** Starts the server of a read_write endpoint, in a turn of its branch's cluster. Nothing to do if it runs. */
export async function startPrimary(
  data: BranchData,
  branch: BranchRecord,
  endpoint: Endpoint,
): Promise<void> {
  const cluster = data.of(branch.wire.id);
  if (cluster.server !== undefined && cluster.endpointId === endpoint.id) return;
  await cluster.stop();
  await data.prepare(cluster);
  const size = maxConnectionsOf(endpoint.autoscaling_limit_min_cu);
  await start(cluster, endpoint, limitsOf(size, endpoint.settings.pg_settings));
  await cluster.update(branch);
}

/**
 * Starts the server of a read_only endpoint, in a turn of its own cluster: a new copy of the branch's data, which follows
 * the branch's server whenever that runs.
 */
export async function startStandby(
  data: BranchData,
  branch: BranchRecord,
  endpoint: Endpoint,
): Promise<void> {
  const primary = data.of(branch.wire.id);
  const cluster = data.standbyOf(endpoint.id);
  // With the branch's server down, new roles would reach the standby only when that starts.
  const isCurrent = primary.server !== undefined || primary.isUpToDate(branch);
  if (cluster.server !== undefined && isCurrent) return;
  await cluster.remove();
  await primary.inTurn(async () => {
    await data.prepare(primary);
    await primary.update(branch);
    await primary.copyTo(cluster);
  });
  cluster.becomeStandby();
  const { limits } = primary.state;
  const size = Math.max(maxConnectionsOf(endpoint.autoscaling_limit_min_cu), Number(limits.max_connections));
  const source = Object.entries({ host: primary.sockets, port: '5432', user: SUPERUSER });
  await start(
    cluster,
    endpoint,
    { ...limits, max_connections: String(size) },
    {
      primary_conninfo: source.map(([name, value]) => `${name}='${value}'`).join(' '),
      wal_retrieve_retry_interval: '200ms',
    },
    { PGPASSWORD: data.password },
  );
}

async function start(
  cluster: Cluster,
  { id, settings }: Endpoint,
  limits: SharedLimits,
  flags: Readonly<Record<string, string>> = {},
  environment: NodeJS.ProcessEnv = {},
): Promise<void> {
  writeSettings(cluster.folder, settings.pg_settings);
  await cluster.start(limits, { ...flags, cluster_name: id }, environment);
  cluster.endpointId = id;
}
