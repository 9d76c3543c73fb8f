/** The names of a provider's settings, for reading config and for messages. */
export interface SettingNames {
  /** The namespace of the config keys: `postgresCompute` in `postgresCompute:apiKey`. */
  readonly namespace: string;
  /** How a program sets how long an action may take. */
  readonly timeouts: string;
}

/** Those of the dynamic provider, and of everything that runs in the program itself. */
export const dynamicSettingNames: SettingNames = {
  namespace: 'postgresCompute',
  timeouts: '`timeouts`',
};

/** Those of the provider plugin. */
export const pluginSettingNames: SettingNames = {
  namespace: 'postgres-compute',
  timeouts: 'The resource option `customTimeouts`',
};
