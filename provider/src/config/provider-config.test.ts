import { describe, expect, it } from 'vitest';
import { ProviderConfig } from './provider-config';

const environment = {
  POSTGRES_COMPUTE_API_KEY: 'canary-key',
  POSTGRES_COMPUTE_BASE_URL: 'https://postgres.example/api/v2',
};

/** The settings as a stack with this config sees them. */
function configOf(stack: Record<string, string> = {}, variables: NodeJS.ProcessEnv = environment) {
  const config = new ProviderConfig(variables);
  config.readConfig = (name) => stack[`postgresCompute:${name}`];
  return config;
}

describe('ProviderConfig.allowRestart', () => {
  const key = 'postgresCompute:allowRestart';

  it.each([
    ['nothing', {}, true],
    ['true', { [key]: 'true' }, true],
    ['false', { [key]: 'false' }, false],
    ['false, with spaces around it,', { [key]: ' false\n' }, false],
    ['nothing but spaces', { [key]: ' ' }, true],
    // A preview refuses it. A value that gets past the preview must not drop connections.
    ['another word', { [key]: 'no' }, false],
  ])('with %s in the config is %s', (_what, stack, expected) => {
    expect(configOf(stack).allowRestart).toBe(expected);
  });
});

describe('ProviderConfig.findFailures', () => {
  it('finds a value of allowRestart other than true and false', () => {
    expect(configOf({ 'postgresCompute:allowRestart': 'no' }).findFailures()).toEqual([
      'postgresCompute:allowRestart must be true or false, not "no".',
    ]);
  });
});

describe('ProviderConfig.secrets', () => {
  it("holds the key of the stack's config, otherwise that of the environment", () => {
    expect(configOf({ 'postgresCompute:apiKey': 'config-key' }).secrets).toEqual(['config-key']);
    expect(configOf().secrets).toEqual(['canary-key']);
  });
});
