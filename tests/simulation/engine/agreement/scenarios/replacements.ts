import type { AgreementScenario } from '../agreement-scenario';
import { fails, refuses } from './faults';

const a = { a: {} } as const;
const elsewhere = { a: { place: 'second project' } } as const;
const created = { program: a, command: 'up' } as const;
const refusedCreate = { program: elsewhere, command: 'up', faults: [refuses('POST')] } as const;
const replica = { a: { args: { type: 'read_only' }, createsBeforeDelete: true } } as const;
const movedReplica = { a: { ...replica.a, place: 'second project' } } as const;
const onChanges = { replaceOnChanges: ['suspendTimeoutSeconds'] } as const;
const watched = { a: onChanges, b: { ...replica.a, ...onChanges } } as const;
const changed = {
  a: { ...onChanges, args: { suspendTimeoutSeconds: 600 } },
  b: { ...watched.b, args: { ...replica.a.args, suspendTimeoutSeconds: 600 } },
} as const;

/** Replacements of each kind, and those that break off. */
export const replacements: readonly AgreementScenario[] = [
  {
    name: 'replacements by changed arguments',
    steps: [
      created,
      { program: elsewhere, command: 'preview' },
      { command: 'up' },
      { command: 'up' },
      { program: { a: { args: { type: 'read_only', suspendTimeoutSeconds: 600 } } }, command: 'up' },
    ],
  },
  {
    name: '--replace, alone and together with a change',
    steps: [
      created,
      { command: 'preview', replace: ['a'] },
      { command: 'up', replace: ['a'] },
      { program: { a: { args: { suspendTimeoutSeconds: 600 } } }, command: 'up', replace: ['a'] },
    ],
  },
  {
    name: 'a tainted endpoint',
    steps: [
      created,
      { command: 'preview', taint: ['a'] },
      { command: 'refresh' },
      { command: 'up' },
      { command: 'up' },
    ],
  },
  {
    name: 'a replacement whose delete is refused, and then fails',
    steps: [
      created,
      { program: elsewhere, command: 'up', faults: [refuses('DELETE')] },
      { command: 'up', faults: [fails('suspend_compute')] },
      { command: 'up' },
    ],
  },
  {
    name: 'a replacement whose create is refused',
    steps: [
      created,
      refusedCreate,
      { command: 'refresh' },
      { command: 'preview' },
      { command: 'up --refresh' },
      { command: 'up' },
    ],
  },
  {
    name: 'a replacement whose create is refused twice, and that is taken back',
    steps: [created, refusedCreate, refusedCreate, { program: a, command: 'up' }],
  },
  {
    name: 'a replacement whose create is refused, of an endpoint that the program then drops',
    steps: [created, refusedCreate, { program: {}, command: 'preview' }, { command: 'up' }],
  },
  {
    name: '--replace whose create is refused, repeated without it, or followed by a destroy',
    steps: [
      created,
      { command: 'up', replace: ['a'], faults: [refuses('POST')] },
      { command: 'up' },
      { command: 'up', replace: ['a'], faults: [refuses('POST')] },
      { command: 'destroy' },
    ],
  },
  {
    name: 'a create before the delete',
    steps: [
      { program: replica, command: 'up' },
      { program: movedReplica, command: 'preview' },
      { command: 'up' },
      { command: 'up', replace: ['a'] },
    ],
  },
  {
    name: 'a create before the delete, which is refused, and which the next run repeats',
    steps: [
      { program: replica, command: 'up' },
      { program: movedReplica, command: 'up', faults: [refuses('DELETE')] },
      { command: 'refresh' },
      { command: 'up' },
    ],
  },
  {
    name: 'the resource option replaceOnChanges',
    steps: [
      { program: watched, command: 'up' },
      { program: changed, command: 'preview' },
      { command: 'up' },
      { command: 'up' },
    ],
  },
];
