import { describe, expect, it } from 'vitest';
import { declared } from '../../../tests/support/endpoint';
import { listSecretValues } from './secret-values';

describe('listSecretValues', () => {
  const valuesOf = (inputs: object, secretNames: string[] = []) =>
    listSecretValues({ resource: { secretNames }, inputs: { ...declared, ...inputs } });

  it('lists what may be a secret in triggers and Postgres settings', () => {
    const restartTriggers = { password: 'hunter22', count: 12_345, isOn: true };
    const pgSettings = { 'app.token': 'tok-abcd', jit: 'on', limit: 'none' };
    expect(valuesOf({ restartTriggers, pgSettings })).toEqual(['hunter22', 'tok-abcd']);
  });

  it('lists the arguments that the program marks as secrets, whatever they hold', () => {
    const inputs = { name: 'api-server', timeouts: { create: 12_345 } };
    expect(valuesOf(inputs)).toEqual([]);
    expect(valuesOf(inputs, ['name', 'timeouts'])).toEqual(['api-server', '12345']);
  });

  it('leaves values of fewer than four characters, which would be found in every text', () => {
    expect(valuesOf({ name: 'on' }, ['name'])).toEqual([]);
  });
});
