import { describe, expect, it } from 'vitest';
import { declared } from '../../../tests/support/endpoint';
import type { ResourceType } from './resource-type';
import { findSecretOutputs, listSecretValues } from './secrets';

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

describe('findSecretOutputs', () => {
  const type = {
    argumentNames: ['name', 'pgSettings'],
    derivedOutputs: { name: ['host'] },
    secretOutputs: ['password'],
  } as unknown as ResourceType;
  const [old, settings] = [{ name: 'old' }, { pgSettings: { 'app.key': 'a' } }];

  it.each<
    [what: string, marked: string[], inputs: object, outputs: object, before: string[], expected: string[]]
  >([
    ['what the program marks, and what follows from it', ['name'], old, old, [], ['name', 'host']],
    [
      'a former secret that the update has not replaced',
      [],
      { name: 'new' },
      old,
      ['name'],
      ['name', 'host'],
    ],
    ['no former secret that the program now gives in the open', [], old, old, ['name'], []],
    [
      'it, though, while a change is pending',
      [],
      old,
      { ...old, __ledger: { owed: ['config'] } },
      ['name'],
      ['name', 'host'],
    ],
    ['no former secret that is no argument', [], {}, { region: 'r' }, ['region'], []],
    ['settings that the program does not give', [], { branchId: 'br-1' }, settings, [], ['pgSettings']],
    ['no settings that are only looked up', [], { projectId: 'p-1' }, settings, [], []],
    ['no settings that it gives', [], settings, settings, [], []],
    ['no settings that are empty', [], {}, { pgSettings: {} }, [], []],
    ['what is always secret', [], {}, { password: 'x' }, [], ['password']],
  ])('finds %s', (_what, secretNames, inputs, outputs, before, expected) => {
    const declaration = { resource: { secretNames }, inputs: { ...inputs } };
    const prior = { resource: { secretNames: before } };
    expect(findSecretOutputs(type, declaration, { ...outputs }, prior)).toEqual(expected);
  });
});
