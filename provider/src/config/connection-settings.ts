import { dynamicSettingNames, type SettingNames } from './setting-names';

/** The address of the service and the key. Held only in memory. */
export interface ConnectionSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The maximum number of requests in any minute. @default 700 */
  readonly requestsPerMinute?: number;
  /** Where each was set, in words: the key of the config, or the variable. */
  readonly sources?: { readonly baseUrl: string; readonly apiKey: string } | undefined;
  /** Whether the base URL does not end in the version segment: a 404 may then mean the route. */
  readonly lacksVersion?: boolean | undefined;
}

/** Reads a decrypted value of the config by the name of the setting (`apiKey`), without the namespace. */
export type ReadConfig = (name: string) => string | undefined;

const sources = {
  apiKey: {
    what: 'API key',
    variable: 'POSTGRES_COMPUTE_API_KEY',
    example: (key: string) => `pulumi config set --secret ${key}`,
  },
  baseUrl: {
    what: 'base URL',
    variable: 'POSTGRES_COMPUTE_BASE_URL',
    example: (key: string) => `pulumi config set ${key} https://HOST/api/v2`,
  },
} as const;

type Places = Pick<SettingNames, 'namespace' | 'sourceOf'> & {
  /** What a user can set beside the variable, if anything. @default the key of the config */
  readonly keyOf?: (name: string) => string | undefined;
};

/**
 * Reads the connection settings from the stack's config, otherwise from the environment.
 * @throws Error when a setting is missing or invalid, or when the base URL would expose the key. No message holds the key.
 */
export function readConnectionSettings(
  readConfig: ReadConfig,
  environment: NodeJS.ProcessEnv,
  {
    namespace,
    sourceOf: sourceInConfig,
    keyOf = (name) => `${namespace}:${name}`,
  }: Places = dynamicSettingNames,
): ConnectionSettings {
  const placesOf = (name: string, variable: string) => [keyOf(name), variable].filter(Boolean).join(' or ');
  const sourceOf = (name: keyof typeof sources) =>
    readConfig(name) === undefined ? sources[name].variable : sourceInConfig(name);
  const read = (name: keyof typeof sources): string => {
    const { what, variable, example } = sources[name];
    const value = (readConfig(name) ?? environment[variable])?.trim();
    if (value) return value;
    const command = example(`${namespace}:${name}`);
    throw new Error(
      `The ${what} of the Postgres service is missing: set it with \`${command}\`, or in ${variable}.`,
    );
  };
  const requestsPerMinute =
    readConfig('requestsPerMinute') ?? environment.POSTGRES_COMPUTE_REQUESTS_PER_MINUTE;
  const allowInsecure =
    readConfig('allowInsecureBaseUrl') ?? environment.POSTGRES_COMPUTE_ALLOW_INSECURE_BASE_URL;
  const allowance = placesOf('allowInsecureBaseUrl', 'POSTGRES_COMPUTE_ALLOW_INSECURE_BASE_URL');
  const mayBeInsecure = checkAllowance(allowInsecure, allowance);
  const urlPlaces = placesOf('baseUrl', sources.baseUrl.variable);
  const baseUrl = checkBaseUrl(read('baseUrl'), mayBeInsecure, urlPlaces, allowance);
  return {
    baseUrl,
    apiKey: checkApiKey(read('apiKey'), placesOf('apiKey', sources.apiKey.variable)),
    sources: { baseUrl: sourceOf('baseUrl'), apiKey: sourceOf('apiKey') },
    ...(!/\/v2\/*$/.test(baseUrl) && { lacksVersion: true }),
    ...(requestsPerMinute && {
      requestsPerMinute: checkRequestsPerMinute(
        requestsPerMinute,
        placesOf('requestsPerMinute', 'POSTGRES_COMPUTE_REQUESTS_PER_MINUTE'),
      ),
    }),
  };
}

function checkRequestsPerMinute(text: string, places: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new Error(`${places} must be a whole number above 0, not "${text}".`);
}

function checkAllowance(text: string | undefined, places: string): boolean {
  const allowance = text?.trim();
  if (!allowance || allowance === 'false') return false;
  if (allowance === 'true') return true;
  throw new Error(`${places} must be true or false, not "${text}".`);
}

function checkBaseUrl(baseUrl: string, mayBeInsecure: boolean, places: string, allowance: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  // URL drops a bare `?` or `#`, but either would cut off every path.
  if (!url || !isWeb || url.username || url.password || /[?#]/.test(baseUrl)) {
    throw new Error(
      `The base URL of the Postgres service (${places}) must be an http(s) URL without user, query or fragment, such as https://HOST/api/v2.`,
    );
  }
  if (url.protocol === 'https:' || isLoopback(url) || mayBeInsecure) return baseUrl;
  throw new Error(
    `The base URL of the Postgres service (${places}) uses http to ${url.hostname}, so anyone on the network path could read the API key. Use https. If you trust the network, allow http by setting ${allowance} to true.`,
  );
}

function checkApiKey(apiKey: string, places: string): string {
  // A header can't carry other characters, and the error of Node.js would quote the key.
  if (/^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw new Error(
    `The API key of the Postgres service (${places}) contains a space, a control character or a non-ASCII character.`,
  );
}

/** Whether requests to the URL stay on this machine. URL has already normalised the spelling of an IPv4 address. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
