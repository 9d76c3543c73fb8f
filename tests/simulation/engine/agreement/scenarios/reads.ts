import type { AgreementScenario } from '../agreement-scenario';
import { refuses } from './faults';

const of = (suspendTimeoutSeconds: number) => ({ a: { args: { suspendTimeoutSeconds } } });
const created = { program: of(600), command: 'up' } as const;
const drift = [{ resource: 'a', changes: { suspend_timeout_seconds: 60 } }];
const deletion = [{ resource: 'a', deletes: true }];
const foreign = [{ resource: 'a', creates: { suspend_timeout_seconds: 600 } }];

/** Refreshes and drift, imports and adoption. */
export const reads: readonly AgreementScenario[] = [
  {
    name: 'drift, refreshed and then restored',
    steps: [
      created,
      { command: 'refresh' },
      { command: 'refresh', intrusions: drift },
      { command: 'preview' },
      { command: 'up' },
    ],
  },
  {
    name: 'an endpoint that another client deletes, and a refresh',
    steps: [
      created,
      { command: 'refresh', intrusions: deletion },
      { command: 'up' },
      { command: 'preview --refresh', intrusions: deletion },
      { command: 'up --refresh' },
    ],
  },
  {
    name: 'a refresh that fails',
    steps: [
      created,
      { command: 'refresh', faults: [refuses('GET')], intrusions: drift },
      { program: of(700), command: 'up --refresh', faults: [refuses('GET')] },
      { command: 'destroy --refresh' },
    ],
  },
  {
    name: 'an import of what the program declares',
    steps: [
      { program: { a: { ...of(600).a, import: 'its own' } }, command: 'preview', intrusions: foreign },
      { command: 'up' },
      { command: 'up' },
      { program: of(700), command: 'up' },
    ],
  },
  {
    name: 'an import with an update',
    steps: [
      { program: { a: { ...of(700).a, import: 'its own' } }, command: 'preview', intrusions: foreign },
      { command: 'up', faults: [refuses('PATCH')] },
      { command: 'up' },
    ],
  },
  {
    name: 'an import whose arguments would replace the endpoint',
    steps: [
      {
        program: { a: { args: { type: 'read_only' }, import: 'its own' } },
        command: 'preview',
        intrusions: foreign,
      },
      { command: 'up' },
      { program: { a: { args: { type: 'read_only' } } }, command: 'up' },
    ],
  },
  {
    name: 'an import of an endpoint that does not exist',
    steps: [
      { program: { a: { import: 'missing' } }, command: 'preview' },
      { command: 'up' },
      { program: { a: {} }, command: 'up' },
    ],
  },
];
