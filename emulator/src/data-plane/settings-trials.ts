import { isDeepStrictEqual } from 'node:util';
import type { EndpointRecord } from '../records/records';
import type { EndpointSettings } from '../records/wire-types';
import type { BranchData } from './branch-data';
import type { Cluster } from './cluster';
import { flagsOf, limitsFor, settingsInEffect } from './start-server';

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
   * @param save saves the record
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
