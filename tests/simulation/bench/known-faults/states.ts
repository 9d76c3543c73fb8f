import type { KnownFault } from '../patched-source';

export const stateFaults: readonly KnownFault[] = [
  {
    name: 'the outputs of a secret argument are not marked',
    file: 'lifecycle/secrets.ts',
    find: 'const secret = union(secretNames, intersection(argumentNames, kept));',
    replace: 'const secret = intersection(argumentNames, kept);',
  },
  {
    name: 'an output is no longer marked once the program gives another value',
    file: 'lifecycle/secrets.ts',
    find: 'const secret = union(secretNames, intersection(argumentNames, kept));',
    replace: 'const secret = union(secretNames);',
  },
  {
    name: 'messages show secrets',
    file: 'lifecycle/provider-core.ts',
    find: 'return (text) => toPrintable(redactor()(text));',
    replace: 'return (text) => toPrintable(text);',
  },
  {
    name: 'a secret name that the program no longer gives is not a secret',
    file: 'lifecycle/check-declaration.ts',
    find: "...(isNameSecret && { secretNames: union(secretNames, ['name']) }),",
    replace: '',
  },
  {
    name: 'settings that a killed update has set stay when the program takes them back',
    file: 'lifecycle/argument-table.ts',
    find: 'this.isMatch(name, value, reported) && this.isMatch(name, reported, value)',
    replace: 'this.isMatch(name, value, reported)',
  },
];
