import { type ConnectionSettings, type ReadConfig, readConnectionSettings } from './connection-settings';
import { dynamicSettingNames, type SettingNames } from './setting-names';

/**
 * The settings from the config and the environment (connection-settings.ts checks the key and the base URL), read afresh each
 * time: a host may set the config late.
 */
export class ProviderConfig {
  readConfig: ReadConfig = () => undefined;
  readonly names: SettingNames;
  readonly #environment: NodeJS.ProcessEnv;

  constructor(environment: NodeJS.ProcessEnv = process.env, names: SettingNames = dynamicSettingNames) {
    this.#environment = environment;
    this.names = names;
  }

  /** @throws Error when the key or the base URL is missing or unusable */
  get connection(): ConnectionSettings {
    return readConnectionSettings(this.readConfig, this.#environment, this.names);
  }

  /** Whether a change may drop the connections of an active compute if the program does not say. */
  get allowRestart(): boolean {
    return [undefined, 'true'].includes(this.#allowRestart);
  }

  get #allowRestart(): string | undefined {
    return this.readConfig('allowRestart')?.trim() || undefined;
  }

  /** The problems with the settings. Sends no request. */
  findFailures(): string[] {
    const failures: string[] = [];
    try {
      void this.connection;
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
    if (![undefined, 'true', 'false'].includes(this.#allowRestart))
      failures.push(
        `${this.names.namespace}:allowRestart must be true or false, not "${this.#allowRestart}".`,
      );
    return failures;
  }

  /** The key, for redaction. Empty without valid settings: the provider then never calls the service. */
  get secrets(): string[] {
    try {
      return [this.connection.apiKey];
    } catch {
      return [];
    }
  }
}
