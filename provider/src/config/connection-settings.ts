/** Where the service is, and the key to it. Held in memory only. */
export interface ConnectionSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** How many requests the account may send in a minute; absent: what the service states for everyone. */
  readonly requestsPerMinute?: number;
}

/** Reads a value of the stack's config by its full key (`postgresCompute:apiKey`), decrypted. */
export type ReadConfig = (key: string) => string | undefined;

const sources = {
  apiKey: {
    what: 'API key',
    configKey: 'postgresCompute:apiKey',
    variable: 'POSTGRES_COMPUTE_API_KEY',
    example: 'pulumi config set --secret postgresCompute:apiKey',
  },
  baseUrl: {
    what: 'base URL',
    configKey: 'postgresCompute:baseUrl',
    variable: 'POSTGRES_COMPUTE_BASE_URL',
    example: 'pulumi config set postgresCompute:baseUrl https://HOST/api/v2',
  },
} as const;

/**
 * Reads the connection settings from the stack's config, else from the environment.
 * @throws Error in one sentence, when one is missing, or the base URL is unusable or would show the key to others.
 * The key is in no message.
 */
export function readConnectionSettings(
  readConfig: ReadConfig,
  environment: NodeJS.ProcessEnv,
): ConnectionSettings {
  const read = (name: keyof typeof sources): string => {
    const { what, configKey, variable, example } = sources[name];
    const value = (readConfig(configKey) ?? environment[variable])?.trim();
    if (value) return value;
    throw new Error(
      `The ${what} of the Postgres service is missing: set it with \`${example}\`, or in ${variable}.`,
    );
  };
  const requestsPerMinute =
    readConfig('postgresCompute:requestsPerMinute') ?? environment.POSTGRES_COMPUTE_REQUESTS_PER_MINUTE;
  const allowInsecure =
    readConfig('postgresCompute:allowInsecureBaseUrl') ??
    environment.POSTGRES_COMPUTE_ALLOW_INSECURE_BASE_URL;
  return {
    baseUrl: checkBaseUrl(read('baseUrl'), checkAllowance(allowInsecure)),
    apiKey: checkApiKey(read('apiKey')),
    ...(requestsPerMinute && { requestsPerMinute: checkRequestsPerMinute(requestsPerMinute) }),
  };
}

function checkRequestsPerMinute(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new Error(
    `The requests that may be sent in a minute (postgresCompute:requestsPerMinute or POSTGRES_COMPUTE_REQUESTS_PER_MINUTE) must be a whole number above 0, not "${text}".`,
  );
}

function checkAllowance(text: string | undefined): boolean {
  const allowance = text?.trim();
  if (!allowance || allowance === 'false') return false;
  if (allowance === 'true') return true;
  throw new Error(
    `Whether the base URL may be unencrypted (postgresCompute:allowInsecureBaseUrl or POSTGRES_COMPUTE_ALLOW_INSECURE_BASE_URL) must be true or false, not "${text}".`,
  );
}

function checkBaseUrl(baseUrl: string, mayBeInsecure: boolean): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  // A bare `?` or `#` leaves no query and no fragment, and would still cut off every path.
  if (!url || !isWeb || url.username || url.password || /[?#]/.test(baseUrl)) {
    throw new Error(
      'The base URL of the Postgres service (postgresCompute:baseUrl or POSTGRES_COMPUTE_BASE_URL) must be an http(s) URL without user, query or fragment, such as https://HOST/api/v2.',
    );
  }
  if (url.protocol === 'https:' || isLoopback(url) || mayBeInsecure) return baseUrl;
  throw new Error(
    `The base URL of the Postgres service (postgresCompute:baseUrl or POSTGRES_COMPUTE_BASE_URL) uses http to ${url.hostname}, so anyone on the network path could read the API key. Use https. If you trust the network, allow http with \`pulumi config set postgresCompute:allowInsecureBaseUrl true\`, or POSTGRES_COMPUTE_ALLOW_INSECURE_BASE_URL=true.`,
  );
}

function checkApiKey(apiKey: string): string {
  // A header can't carry anything else, and Node's own error for it would quote the key.
  if (/^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw new Error(
    'The API key of the Postgres service (postgresCompute:apiKey or POSTGRES_COMPUTE_API_KEY) holds a space or another character that a key does not have.',
  );
}

/** Whether requests to the URL stay on this machine. URL has already normalised the spelling of an IPv4 address. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
