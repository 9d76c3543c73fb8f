import { isDeepStrictEqual } from 'node:util';
import { maxConnectionsOf } from '../limits/compute-size';
import type { EndpointRecord, ProjectRecord } from '../records/records';
import type { Endpoint, EndpointSettings } from '../records/wire-types';
import type { BranchData } from './branch-data';
import type { Cluster } from './cluster';
import { DEFAULT_LIMITS, type SharedLimits } from './cluster-state';
import type { PgSettings } from './pg-settings';

/** Those of the last operation that applied them. A record has the newest ones, which may be about to fail. */
export function settingsInEffect(record: EndpointRecord): EndpointSettings {
  return record.settingsInEffect ?? record.wire.settings;
}

export function flagsOf(id: string, settings: EndpointSettings) {
  const libraries = settings.preload_libraries?.enabled_libraries ?? [];
  return { cluster_name: id, shared_preload_libraries: libraries.join(',') };
}

/** The limits of an endpoint's server, if it is no standby: `max_connections` of its size, and otherwise those of its settings. */
export function limitsFor({ autoscaling_limit_min_cu: size }: Endpoint, settings: PgSettings): SharedLimits {
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

  constructor(data: BranchData, projects: readonly ProjectRecord[]) {
    this.#data = data;
    for (const { endpoints } of projects) for (const endpoint of endpoints.values()) keepSettings(endpoint);
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
