import { describe, expect, it } from 'vitest';
import { declared } from '../../../tests/support/endpoint';
import { listSecretValues } from './secrets';

describe('listSecretValues', () => {
  const valuesOf = (inputs: object, secretNames: string[] = []) =>
    listSecretValues({ resource: { secretNames }, inputs: { ...declared, ...inputs } });

  it('lists the values of triggers and Postgres settings that may be secrets', () => {
    const restartTriggers = { password: 'hunter22', count: 12_345, isOn: true, isOff: false };
    const pgSettings = { 'app.token': 'tok-abcd', jit: 'on', limit: 'none' };
    expect(valuesOf({ restartTriggers, pgSettings })).toEqual(['hunter22', 'tok-abcd']);
  });

  it('lists the values of every argument that the program marks as secret', () => {
    const inputs = { name: 'api-server', timeouts: { create: 12_345 } };
    expect(valuesOf(inputs)).toEqual([]);
    expect(valuesOf(inputs, ['name', 'timeouts'])).toEqual(['api-server', '12345']);
  });

  it.each([
    ['a\nsecret\n', 'a secret'],
    ['\tsecret', 'secret'],
    ['one\r\ntwo', 'one two'],
    ['one\u0085two', 'one two'],
  ])('lists %j also as a message shows it', (name, shown) => {
    expect(valuesOf({ name }, ['name'])).toEqual([name, shown]);
  });

  it('omits values of fewer than four characters, which occur in any text', () => {
    expect(valuesOf({ name: 'on' }, ['name'])).toEqual([]);
  });
});
