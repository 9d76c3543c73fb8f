import { messageOf } from '../control-api/control-api-error';
import { type ConnectionSettings, type ReadConfig, readConnectionSettings } from './connection-settings';

const allowRestartKey = 'postgresCompute:allowRestart';

/** What the stack's config and the environment say, read anew each time: a host sets the config when it is configured. */
export class ProviderConfig {
  /** Reads the stack's config. */
  readConfig: ReadConfig = () => undefined;
  readonly #environment: NodeJS.ProcessEnv;

  constructor(environment: NodeJS.ProcessEnv = process.env) {
    this.#environment = environment;
  }

  /** @throws Error when the key or the base URL is missing or unusable */
  get connection(): ConnectionSettings {
    return readConnectionSettings(this.readConfig, this.#environment);
  }

  /** Whether connections of an active compute may be dropped where the program does not say. */
  get allowRestart(): boolean {
    return [undefined, 'true'].includes(this.#allowRestart);
  }

  get #allowRestart(): string | undefined {
    return this.readConfig(allowRestartKey)?.trim() || undefined;
  }

  /** What is wrong with the settings, without a request. */
  findFailures(): string[] {
    try {
      void this.connection;
    } catch (error) {
      return [messageOf(error)];
    }
    if ([undefined, 'true', 'false'].includes(this.#allowRestart)) return [];
    return [`${allowRestartKey} must be true or false, not "${this.#allowRestart}".`];
  }

  /** The key; none without a usable connection, where no message comes from the service either. */
  get secrets(): string[] {
    try {
      return [this.connection.apiKey];
    } catch {
      return [];
    }
  }
}
