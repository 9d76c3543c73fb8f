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

/** The settings of both providers, and the arguments of an explicit one. */
export const settingNames = [
  'apiKey',
  'baseUrl',
  'requestsPerMinute',
  'allowInsecureBaseUrl',
  'allowRestart',
];

/** What the engine and its SDKs keep beside the settings of every provider. */
const common = ['version', 'pluginDownloadURL'];

/** Whether a provider may have this among its settings. */
export function isSettingName(name: string): boolean {
  return [...settingNames, ...common].includes(name) || name.startsWith('__');
}
