import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SUPERUSER } from '../gateway/startup-packet';
import { maxConnectionsOf } from '../limits/compute-size';
import type { EndpointRecord } from '../records/records';
import type { Endpoint, EndpointSettings } from '../records/wire-types';
import type { BranchData } from './branch-data';
import type { Cluster } from './cluster';
import { DEFAULT_LIMITS, type SharedLimits } from './cluster-state';
import type { PgSettings } from './pg-settings';
import { writeServerFile } from './server-files';

/** A transaction of the branch's clients, with many subtransactions, keeps a standby from letting others in until it ends. */
const LONGEST_STANDBY_START_MS = 60_000;

/** Starts the server of a read_write endpoint, in a turn of its branch's cluster. Nothing to do if it runs. */
export async function startPrimary(data: BranchData, record: EndpointRecord): Promise<void> {
  const { wire: endpoint } = record;
  const settings = settingsInEffect(record);
  const cluster = data.of(endpoint.branch_id);
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
  updatePrimary: () => Promise<void>,
): Promise<void> {
  const { wire: endpoint } = record;
  const settings = settingsInEffect(record);
  const primary = data.of(endpoint.branch_id);
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

/** Those of the last operation that applied them. A record has the newest ones, which may be about to fail. */
function settingsInEffect({ wire, settingsInEffect = wire.settings }: EndpointRecord): EndpointSettings {
  return settingsInEffect;
}

function flagsOf(id: string, settings: EndpointSettings) {
  const libraries = settings.preload_libraries?.enabled_libraries ?? [];
  return { cluster_name: id, shared_preload_libraries: libraries.join(',') };
}

/** The limits of an endpoint's server, if it is no standby: `max_connections` of its size, and otherwise those of its settings. */
function limitsFor({ autoscaling_limit_min_cu: size }: Endpoint, settings: PgSettings): SharedLimits {
  // Names have no case.
  const all = Object.entries(settings).map(([name, value]) => [name.toLowerCase(), value] as const);
  const given = all.filter(([name]) => Object.hasOwn(DEFAULT_LIMITS, name));
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(given), max_connections: String(maxConnectionsOf(size)) };
}

/** Puts the settings of endpoints into effect, each after a server has started with them. */
export class SettingsTrials {
  readonly #data: BranchData;
  /** Starts with settings that can prevent a start, by these. */
  readonly #trials = new Map<string, Promise<void>>();

  constructor(data: BranchData) {
    this.#data = data;
  }

  /**
   * Puts the settings of the record into effect, if a server starts with them; undefined if there is nothing to do.
   * Otherwise, the record gets the former ones back.
   * @param clusterNow whose server, if it runs for the endpoint then, is told
   * @throws Error with Postgres's reason
   */
  apply(
    endpoint: EndpointRecord,
    save: () => void,
    clusterNow: () => Cluster | undefined,
  ): Promise<void> | undefined {
    const { wire } = endpoint;
    const wanted = wire.settings;
    const trial = this.#try(endpoint, wanted);
    if (trial === undefined && isDeepStrictEqual(settingsInEffect(endpoint), wanted)) return undefined;
    return Promise.resolve(trial)
      .then(
        () => {
          endpoint.settingsInEffect = wanted;
        },
        (error) => {
          // Unless they have changed again.
          if (wire.settings === wanted) wire.settings = settingsInEffect(endpoint);
          throw error;
        },
      )
      .finally(save)
      .then(() => this.#reload(endpoint, clusterNow()));
  }

  async #reload(endpoint: EndpointRecord, cluster: Cluster | undefined): Promise<void> {
    await cluster?.inTurn(async () => {
      if (cluster.endpointId !== endpoint.wire.id) return;
      this.#data.settingRules.write(cluster.folder, settingsInEffect(endpoint).pg_settings);
      cluster.server?.reload();
    });
  }

  #try({ wire }: EndpointRecord, wanted: EndpointSettings): Promise<void> | undefined {
    const settings = this.#data.settingRules.ofStart(wanted.pg_settings);
    const flags = flagsOf(wire.id, wanted);
    if (Object.keys(settings).length === 0 && flags.shared_preload_libraries === '') return undefined;
    const limits = limitsFor(wire, settings);
    const key = JSON.stringify([limits, settings, flags.shared_preload_libraries]);
    const trial = this.#trials.get(key) ?? this.#data.tryStart(limits, settings, flags);
    this.#trials.set(key, trial);
    trial.catch(() => this.#trials.delete(key));
    return trial;
  }
}

/** Those of a new endpoint, before they change. */
export function keepSettings(endpoint: EndpointRecord): void {
  endpoint.settingsInEffect ??= endpoint.wire.settings;
}
