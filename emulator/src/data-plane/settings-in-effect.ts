import type { EndpointRecord } from '../records/records';
import { reasonOf } from '../records/thrown-reason';
import type { BranchData } from './branch-data';
import type { PgSettings } from './pg-settings';
import { flagsOf, limitsFor } from './start-server';

/**
 * The `pg_settings` with which the servers of endpoints run: those of the last operation that applied them. A record has
 * the newest ones, which may be about to fail.
 */
export class SettingsInEffect {
  readonly #data: BranchData;
  readonly #settings = new Map<string, PgSettings>();
  /** Starts with settings that can prevent a start, by these. */
  readonly #trials = new Map<string, Promise<void>>();

  constructor(data: BranchData) {
    this.#data = data;
  }

  of({ wire }: EndpointRecord): PgSettings {
    return this.#settings.get(wire.id) ?? wire.settings.pg_settings;
  }

  /** Call it when the endpoint is new, before its settings change. */
  keep({ wire }: EndpointRecord): void {
    if (!this.#settings.has(wire.id)) this.#settings.set(wire.id, wire.settings.pg_settings);
  }

  forget(endpointId: string): void {
    this.#settings.delete(endpointId);
  }

  /**
   * Puts the settings of the record into effect, if a server starts with them; undefined if there is nothing to do. The
   * caller tells the server. Otherwise, the record gets the former ones back.
   * @throws Error with Postgres's reason
   */
  apply(endpoint: EndpointRecord): Promise<void> | undefined {
    const { wire } = endpoint;
    const wanted = wire.settings.pg_settings;
    const trial = this.#try(endpoint, wanted);
    if (trial === undefined && this.of(endpoint) === wanted) return undefined;
    return Promise.resolve(trial).then(
      () => void this.#settings.set(wire.id, wanted),
      (error) => {
        const { settings } = wire;
        // Unless they have changed again.
        if (settings.pg_settings === wanted) wire.settings = { ...settings, pg_settings: this.of(endpoint) };
        throw new Error(`no server starts with these pg_settings: ${reasonOf(error)}`);
      },
    );
  }

  #try({ wire }: EndpointRecord, wanted: PgSettings): Promise<void> | undefined {
    const settings = this.#data.settingRules.ofStart(wanted);
    const flags = flagsOf(wire);
    if (Object.keys(settings).length === 0 && flags.shared_preload_libraries === '') return undefined;
    const limits = limitsFor(wire, settings);
    const key = JSON.stringify([limits, settings, flags.shared_preload_libraries]);
    const trial = this.#trials.get(key) ?? this.#data.tryStart(limits, settings, flags);
    this.#trials.set(key, trial);
    trial.catch(() => this.#trials.delete(key));
    return trial;
  }
}
