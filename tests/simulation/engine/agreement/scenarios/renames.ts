import type { AgreementScenario, Declaration } from '../agreement-scenario';

const of = (suspendTimeoutSeconds: number, more: Partial<Declaration> = {}): Declaration => ({
  args: { suspendTimeoutSeconds },
  ...more,
});
const branch = (args: Declaration['args'] = {}): Declaration => ({ type: 'Branch', args });
const data = branch({ name: 'data' });
const on = (name: string): Declaration => ({ args: { branchId: { $ref: name } } });
const elsewhere = { place: 'second project' } as const;

/** Resources that get another name in the program. */
export const renames: readonly AgreementScenario[] = [
  {
    name: 'renames by alias: unchanged, changed and replaced',
    steps: [
      { program: { a: of(600), b: of(600), c: of(600) }, command: 'up' },
      {
        program: {
          aa: of(600, { aliases: ['a'], placesOf: 'a' }),
          bb: of(700, { aliases: ['b'], placesOf: 'b' }),
          cc: of(600, { aliases: ['c'], placesOf: 'c', ...elsewhere }),
        },
        command: 'preview',
      },
      { command: 'up' },
      { command: 'up' },
      { program: { aa: of(600, { placesOf: 'a' }) }, command: 'up' },
    ],
  },
  {
    name: 'a branch renamed by alias, with its endpoint',
    steps: [
      { program: { one: data, e: on('one') }, command: 'up' },
      { program: { uno: { ...data, aliases: ['one'] }, e: on('uno') }, command: 'preview' },
      { command: 'up' },
      { command: 'destroy' },
    ],
  },
  {
    name: 'an endpoint renamed by alias and tainted',
    steps: [
      { program: { a: of(600) }, command: 'up' },
      { program: { aa: of(600, { aliases: ['a'], placesOf: 'a' }) }, command: 'up', taint: ['a'] },
    ],
  },
];
