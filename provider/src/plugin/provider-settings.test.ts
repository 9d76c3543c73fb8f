import { describe, expect, it } from 'vitest';
import { unknownValue } from '../lifecycle/input-values';
import { findChangedSettings, findSettingFailures, readSetting } from './provider-settings';

const settings = { apiKey: 'canary-key', baseUrl: 'https://postgres.example/api/v2' };

describe('findSettingFailures', () => {
  it.each([
    ['the least', settings],
    ['numbers and flags as such', { ...settings, requestsPerMinute: 350, allowRestart: false }],
    ['numbers and flags as text', { ...settings, requestsPerMinute: '350', allowRestart: 'false' }],
    ['the version that SDKs add', { ...settings, version: '0.1.0' }],
    ['a key that is not known yet', { ...settings, apiKey: unknownValue }],
  ])('finds nothing wrong with %s', (_what, given) => {
    expect(findSettingFailures(given, {})).toEqual([]);
  });

  it.each([
    [
      'an unknown setting',
      { ...settings, apikey: 'x' },
      '',
      /^apikey is not a setting of the provider; those are apiKey,/,
    ],
    [
      'a missing key',
      { baseUrl: settings.baseUrl },
      '',
      /pulumi config set --secret postgres-compute:apiKey/,
    ],
    ['a wrong limit', { ...settings, requestsPerMinute: '0' }, '', /^postgres-compute:requestsPerMinute or /],
    [
      'another word than true and false',
      { ...settings, allowRestart: 'no' },
      '',
      /^postgres-compute:allowRestart/,
    ],
  ])('refuses %s, without the key', (_what, given, property, reason) => {
    const failures = findSettingFailures(given, {});
    expect(failures).toEqual([{ property, reason: expect.stringMatching(reason) }]);
    expect(JSON.stringify(failures)).not.toContain('canary-key');
  });

  it('takes from the environment what is left out', () => {
    const environment = {
      POSTGRES_COMPUTE_API_KEY: settings.apiKey,
      POSTGRES_COMPUTE_BASE_URL: settings.baseUrl,
    };
    expect(findSettingFailures({}, environment)).toEqual([]);
  });
});

it('findChangedSettings names what differs, whatever its type', () => {
  const olds = { ...settings, requestsPerMinute: 350, allowRestart: true };
  expect(findChangedSettings(olds, { ...settings, requestsPerMinute: '350', apiKey: 'other' })).toEqual([
    'apiKey',
    'allowRestart',
  ]);
});

it('readSetting reads numbers and flags as text', () => {
  const given = { ...settings, requestsPerMinute: 350, allowRestart: false, baseUrl: null };
  const names = ['apiKey', 'requestsPerMinute', 'allowRestart', 'baseUrl', 'allowInsecureBaseUrl'];
  expect(names.map((name) => readSetting(given, name))).toEqual([
    'canary-key',
    '350',
    'false',
    undefined,
    undefined,
  ]);
});
