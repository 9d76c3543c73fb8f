import { join } from 'node:path';
import { SUPERUSER } from '../gateway/startup-packet';
import { maxConnectionsOf } from '../limits/compute-size';
import type { EndpointRecord } from '../records/records';
import type { BranchData } from './branch-data';
import type { Cluster } from './cluster';
import { writeServerFile } from './server-files';
import { flagsOf, limitsFor, settingsInEffect } from './settings-trials';

/** A transaction of the branch's clients, with many subtransactions, keeps a standby from letting others in until it ends. */
const LONGEST_STANDBY_START_MS = 60_000;

/** Starts the server of a read_write endpoint on its branch's cluster, in a turn of that. Nothing to do if it runs. */
export async function startPrimary(data: BranchData, record: EndpointRecord, cluster: Cluster) {
  const { wire: endpoint } = record;
  const settings = settingsInEffect(record);
  if (cluster.server !== undefined && cluster.endpointId === endpoint.id) return;
  await cluster.stop();
  await data.prepare(cluster);
  data.settingRules.write(cluster.folder, settings.pg_settings);
  await cluster.start(limitsFor(endpoint, settings.pg_settings), { flags: flagsOf(endpoint.id, settings) });
  cluster.endpointId = endpoint.id;
}

/**
 * Starts the server of a read_only endpoint, in a turn of its own cluster: a new copy of the branch's data, which follows
 * the branch's server whenever that runs. Nothing to do if it runs.
 * @param updatePrimary gives the branch's cluster its roles and databases
 */
export async function startStandby(
  data: BranchData,
  record: EndpointRecord,
  primary: Cluster,
  updatePrimary: () => Promise<void>,
): Promise<void> {
  const { wire: endpoint } = record;
  const settings = settingsInEffect(record);
  const cluster = data.standbyOf(endpoint.id);
  if (cluster.server !== undefined) return;
  await cluster.remove();
  await primary.inTurn(async () => {
    await data.prepare(primary);
    await updatePrimary();
    await primary.copyTo(cluster);
  });
  // It then follows another cluster when it starts.
  writeServerFile(join(cluster.folder, 'standby.signal'), '');
  data.settingRules.write(cluster.folder, settings.pg_settings);
  const { limits } = primary.state;
  const size = Math.max(maxConnectionsOf(endpoint.autoscaling_limit_min_cu), Number(limits.max_connections));
  // Not in the environment, which a client may read by a language such as PL/Perl.
  const passfile = join(cluster.folder, 'emulator.pgpass');
  writeServerFile(passfile, `*:*:*:*:${data.setup.password}\n`);
  // Like any session, its own would end by this setting of the branch's endpoint.
  const options = '-c idle_session_timeout=0';
  const source = Object.entries({ host: primary.sockets, port: '5432', user: SUPERUSER, passfile, options });
  await cluster.start(
    { ...limits, max_connections: String(size) },
    {
      longestMs: LONGEST_STANDBY_START_MS,
      flags: {
        ...flagsOf(endpoint.id, settings),
        primary_conninfo: source.map(([name, value]) => `${name}='${value}'`).join(' '),
        wal_retrieve_retry_interval: '200ms',
      },
    },
  );
  cluster.endpointId = endpoint.id;
}
