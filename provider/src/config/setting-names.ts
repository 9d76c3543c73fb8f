/** The names of a provider's settings, for reading config and for messages. */
export interface SettingNames {
  /** The namespace of the config keys: `postgresCompute` in `postgresCompute:apiKey`. */
  readonly namespace: string;
  /** Where a setting was made, in words. The plugin can't tell an explicit provider's arguments from the stack's config. */
  readonly sourceOf: (name: string) => string;
  /** How to allow restarts for all resources, in words. */
  readonly restarts: string;
  /** How a program sets how long an action may take. */
  readonly timeouts: string;
}

/** Those of the dynamic provider, and of everything that runs in the program itself. */
export const dynamicSettingNames: SettingNames = {
  namespace: 'postgresCompute',
  sourceOf: (name) => `postgresCompute:${name}`,
  restarts: '`pulumi config set postgresCompute:allowRestart true`',
  timeouts: '`timeouts`',
};

/** Those of the provider plugin. */
export const pluginSettingNames: SettingNames = {
  namespace: 'postgres-compute',
  sourceOf: (name) => `${name} of the provider (postgres-compute:${name})`,
  restarts:
    '`pulumi config set postgres-compute:allowRestart true`, for an explicit provider its argument allowRestart',
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
