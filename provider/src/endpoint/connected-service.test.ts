import { describe, expect, it } from 'vitest';
import { declared } from '../../../tests/support/endpoint';
import { ConnectedService } from './connected-service';
import type { EndpointInputs } from './endpoint-inputs';

const environment = {
  POSTGRES_COMPUTE_API_KEY: 'canary-key',
  POSTGRES_COMPUTE_BASE_URL: 'https://postgres.example/api/v2',
};

/** The service as a stack with this config sees it. */
function serviceOf(config: Record<string, string> = {}, variables: NodeJS.ProcessEnv = environment) {
  const service = new ConnectedService({ environment: variables });
  service.readConfig = (key) => config[key];
  return service;
}

describe('ConnectedService.redactorFor', () => {
  const redacted = (text: string, ...inputs: (EndpointInputs | undefined)[]) =>
    serviceOf().redactorFor(...inputs)(text);

  it('redacts the key, also without inputs', () => {
    expect(redacted('canary-key', undefined)).toBe('***');
    expect(redacted('canary-key')).toBe('***');
  });

  it("redacts the key of the stack's config", () => {
    const service = serviceOf({ 'postgresCompute:apiKey': 'config-key' });
    expect(service.redactorFor(declared)('config-key canary-key')).toBe('*** canary-key');
  });

  it('redacts what may be a secret in triggers and Postgres settings', () => {
    const inputs = {
      ...declared,
      restartTriggers: { password: 'hunter22', count: 12_345, isOn: true },
      pgSettings: { 'app.token': 'tok-abcd', jit: 'on', limit: 'none' },
    };
    expect(redacted('hunter22 tok-abcd 12345 true on none', inputs)).toBe('*** *** 12345 true on none');
  });

  it('redacts the arguments that the program marks as secrets, whatever they hold', () => {
    const inputs = { ...declared, name: 'api-server', timeouts: { create: 12_345 } };
    const marked = { ...inputs, __secrets: ['name', 'timeouts'] };
    expect(redacted('api-server 12345 br-1', inputs)).toBe('api-server 12345 br-1');
    expect(redacted('api-server 12345 br-1', marked)).toBe('*** *** br-1');
  });

  it('leaves values of fewer than four characters, which would be found in every text', () => {
    expect(redacted('on top of it', { ...declared, name: 'on', __secrets: ['name'] })).toBe('on top of it');
  });

  it('redacts the values of all inputs that it is given', () => {
    const olds = { ...declared, restartTriggers: { password: 'old-word' } };
    const news = { ...declared, restartTriggers: { password: 'new-word' } };
    expect(redacted('old-word new-word', olds, news)).toBe('*** ***');
  });

  it('redacts what it can while there is no usable key', () => {
    const inputs = { ...declared, restartTriggers: { password: 'hunter22' } };
    expect(serviceOf({}, {}).redactorFor(inputs)('hunter22 canary-key')).toBe('*** canary-key');
  });
});

describe('ConnectedService.allowsRestart', () => {
  const key = 'postgresCompute:allowRestart';

  it.each([
    ['nothing', {}, true],
    ['true', { [key]: 'true' }, true],
    ['false', { [key]: 'false' }, false],
    ['false, with spaces around it,', { [key]: ' false\n' }, false],
    ['nothing but spaces', { [key]: ' ' }, true],
    // A preview refuses it; whatever comes past that must not drop connections.
    ['another word', { [key]: 'no' }, false],
  ])('of a stack whose config holds %s is %s', (_what, config, expected) => {
    const { allowRestart: _, ...inputs } = declared;
    expect(serviceOf(config).allowsRestart(inputs)).toBe(expected);
  });

  it.each([true, false])('is %s when the resource says so, whatever the config holds', (allowRestart) => {
    for (const word of ['true', 'false'])
      expect(serviceOf({ [key]: word }).allowsRestart({ ...declared, allowRestart })).toBe(allowRestart);
  });
});

describe('ConnectedService.findConnectionFailures', () => {
  it('finds nothing wrong with a key and a base URL', () => {
    expect(serviceOf().findConnectionFailures()).toEqual([]);
  });

  it('finds a missing key', () => {
    const { POSTGRES_COMPUTE_BASE_URL } = environment;
    expect(serviceOf({}, { POSTGRES_COMPUTE_BASE_URL }).findConnectionFailures()).toEqual([
      { property: '', reason: expect.stringContaining('The API key of the Postgres service is missing') },
    ]);
  });

  it('finds a wrong word for allowRestart', () => {
    expect(serviceOf({ 'postgresCompute:allowRestart': 'no' }).findConnectionFailures()).toEqual([
      { property: '', reason: 'postgresCompute:allowRestart must be true or false, not "no".' },
    ]);
  });
});

it('ConnectedService has one object for each project', () => {
  const service = serviceOf();
  expect(service.project('p-1')).toBe(service.project('p-1'));
  expect(service.project('p-1')).not.toBe(service.project('p-2'));
});
