import { describe, expect, it } from 'vitest';
import { readConnectionSettings } from './connection-settings';

const https = 'https://postgres.example/api/v2';
const key = 'canary-key-1';

/** The settings for this config and environment. */
function readSettings(config: Record<string, string>, environment: NodeJS.ProcessEnv = {}) {
  return readConnectionSettings((name) => config[`postgresCompute:${name}`], environment);
}

function refusalOf(environment: NodeJS.ProcessEnv): string {
  try {
    readSettings({}, { POSTGRES_COMPUTE_API_KEY: key, POSTGRES_COMPUTE_BASE_URL: https, ...environment });
    return 'nothing was refused';
  } catch (error) {
    return String(error);
  }
}

describe('readConnectionSettings', () => {
  it("prefers the stack's config to the environment", () => {
    const config = { 'postgresCompute:apiKey': key, 'postgresCompute:baseUrl': https };
    const environment = { POSTGRES_COMPUTE_API_KEY: 'other', POSTGRES_COMPUTE_BASE_URL: 'https://other/v2' };
    expect(readSettings(config, environment)).toEqual({
      ...{ apiKey: key, baseUrl: https },
      sources: { apiKey: 'postgresCompute:apiKey', baseUrl: 'postgresCompute:baseUrl' },
    });
  });

  it('reads the environment and trims its values', () => {
    const environment = { POSTGRES_COMPUTE_API_KEY: ` ${key}\n`, POSTGRES_COMPUTE_BASE_URL: ` ${https} ` };
    expect(readSettings({}, environment)).toMatchObject({ apiKey: key, baseUrl: https });
  });

  it.each(['https://host/api', 'https://host/api/v1'])(
    'notes where %s is set, and that it lacks /v2',
    (url) => {
      const environment = { POSTGRES_COMPUTE_API_KEY: key, POSTGRES_COMPUTE_BASE_URL: url };
      expect(readSettings({}, environment)).toMatchObject({
        sources: { apiKey: 'POSTGRES_COMPUTE_API_KEY', baseUrl: 'POSTGRES_COMPUTE_BASE_URL' },
        lacksVersion: true,
      });
      const versioned = { ...environment, POSTGRES_COMPUTE_BASE_URL: 'https://host/api/v2/' };
      expect(readSettings({}, versioned)).not.toHaveProperty('lacksVersion');
    },
  );

  it.each([
    ['the key', 'POSTGRES_COMPUTE_API_KEY', /API key .* missing.*config set --secret postgresCompute:apiKey/],
    ['the base URL', 'POSTGRES_COMPUTE_BASE_URL', /base URL .* missing.*config set postgresCompute:baseUrl/],
  ])('explains how to set %s if it is missing', (_what, variable, reason) => {
    expect(refusalOf({ [variable]: ' ' })).toMatch(reason);
  });

  it("reads requestsPerMinute, from the stack's config first", () => {
    const config = { 'postgresCompute:apiKey': key, 'postgresCompute:baseUrl': https };
    const environment = { POSTGRES_COMPUTE_REQUESTS_PER_MINUTE: '350' };
    const stated = readSettings({ ...config, 'postgresCompute:requestsPerMinute': '1400' }, environment);
    expect(stated.requestsPerMinute).toBe(1_400);
    expect(readSettings(config, environment).requestsPerMinute).toBe(350);
  });

  it.each(['0', '-1', '1.5', 'many'])('refuses a limit of %s requests a minute', (count) => {
    expect(refusalOf({ POSTGRES_COMPUTE_REQUESTS_PER_MINUTE: count })).toMatch(/whole number above 0, not/);
  });
});

describe('readConnectionSettings for the base URL', () => {
  it.each([
    'postgres.example/api/v2',
    'ftp://postgres.example/api/v2',
    'https://user:word@postgres.example/api/v2',
    'https://postgres.example/api/v2?key=1',
    'https://postgres.example/api/v2#part',
    // URL drops a bare ? or #, but either would cut off every path.
    'https://postgres.example/api/v2?',
    'https://postgres.example/api/v2#',
    'https://postgres.example?',
    'http://127.0.0.1:8080/api/v2?#',
  ])('refuses the base URL %s without repeating it', (baseUrl) => {
    const refusal = refusalOf({ POSTGRES_COMPUTE_BASE_URL: baseUrl });
    expect(refusal).toContain('must be an http(s) URL without user, query or fragment');
    expect(refusal).not.toContain(baseUrl);
  });

  it.each([
    'http://127.0.0.1:8080/api/v2',
    'http://127.1:8080/api/v2',
    'http://localhost:8080/api/v2',
    'http://[::1]:8080/api/v2',
  ])('accepts http to this machine: %s', (baseUrl) => {
    expect(refusalOf({ POSTGRES_COMPUTE_BASE_URL: baseUrl })).toBe('nothing was refused');
  });

  it.each([
    'http://postgres.example/api/v2',
    'HTTP://postgres.example/api/v2',
    'http://10.0.0.1/api/v2',
    'http://127.0.0.1.example/api/v2',
    'http://localhost.example/api/v2',
    'http://0.0.0.0/api/v2',
    'http://[::2]/api/v2',
  ])('refuses http to another machine, which would expose the key: %s', (baseUrl) => {
    expect(refusalOf({ POSTGRES_COMPUTE_BASE_URL: baseUrl })).toMatch(
      /uses http to \S+, so anyone on the network path could read the API key\. Use https\. If/,
    );
  });

  it('names only what a user of the command can set', () => {
    const names = { namespace: '', sourceOf: () => '--base-url', keyOf: () => undefined };
    const environment = { POSTGRES_COMPUTE_API_KEY: key, POSTGRES_COMPUTE_BASE_URL: 'http://10.0.0.1/v2' };
    expect(() => readConnectionSettings(() => undefined, environment, names)).toThrow(
      /\(POSTGRES_COMPUTE_BASE_URL\) uses.* allow http by setting POSTGRES_COMPUTE_ALLOW_INSECURE_BASE_URL to true\.$/,
    );
  });

  it('accepts http to another machine if config or environment allows it', () => {
    const config = {
      'postgresCompute:apiKey': key,
      'postgresCompute:baseUrl': 'http://postgres.example/api/v2',
    };
    const variable = { POSTGRES_COMPUTE_ALLOW_INSECURE_BASE_URL: 'true' };
    expect(readSettings({ ...config, 'postgresCompute:allowInsecureBaseUrl': 'true' })).toHaveProperty(
      'baseUrl',
    );
    expect(readSettings(config, variable)).toHaveProperty('baseUrl');
    expect(() =>
      readSettings({ ...config, 'postgresCompute:allowInsecureBaseUrl': 'false' }, variable),
    ).toThrow('uses http to postgres.example');
  });

  it('refuses a value of allowInsecureBaseUrl other than true and false', () => {
    expect(refusalOf({ POSTGRES_COMPUTE_ALLOW_INSECURE_BASE_URL: 'yes' })).toContain(
      'must be true or false, not "yes"',
    );
  });
});

describe('readConnectionSettings for the API key', () => {
  it.each([
    ['a line break', `${key}\r\nX-Other: 1`],
    ['a space', `${key} 1`],
    ['a null character', `${key}\0`],
    ['a letter that a header does not carry', `${key}é`],
  ])('refuses an API key with %s without repeating it', (_what, apiKey) => {
    const refusal = refusalOf({ POSTGRES_COMPUTE_API_KEY: apiKey });
    expect(refusal).toContain('contains a space, a control character or a non-ASCII character');
    expect(refusal).not.toContain(key);
  });
});
