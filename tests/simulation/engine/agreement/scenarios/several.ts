import type { AgreementScenario } from '../agreement-scenario';
import { failsElsewhere, refuses } from './faults';

const of = (suspendTimeoutSeconds: number) => ({ args: { suspendTimeoutSeconds } });
const poolerMode = { $ref: 'a', output: 'poolerMode', value: 'transaction' };
const onA = (suspendTimeoutSeconds: number) => ({ args: { suspendTimeoutSeconds, poolerMode } });
/** Long enough for every resource to begin before the first one fails. */
const slowly = { operationMs: 1_500 };
const elsewhere = { ...of(600), place: 'second project' } as const;
const replica = { args: { type: 'read_only' } };
const three = { a: of(600), b: of(600), c: of(600) };

/** Several resources side by side. */
export const several: readonly AgreementScenario[] = [
  {
    name: 'three endpoints, of which the program drops one and renames one',
    steps: [
      { program: three, command: 'up' },
      { program: { a: of(600), d: of(600) }, command: 'preview' },
      { command: 'up' },
      { command: 'destroy' },
    ],
  },
  {
    name: 'three creates, of which one fails',
    service: slowly,
    steps: [
      {
        program: { a: of(600), b: of(600), c: elsewhere },
        command: 'up',
        faults: [failsElsewhere('start_compute')],
      },
      { command: 'up' },
    ],
  },
  {
    name: 'a destroy that fails for one of two, and is repeated',
    steps: [
      { program: { a: of(600), b: elsewhere }, command: 'up' },
      { command: 'destroy', faults: [failsElsewhere('suspend_compute')] },
      { command: 'destroy' },
    ],
  },
  {
    name: 'a create, an update, a replacement and a delete in one run',
    steps: [
      { program: three, command: 'up' },
      {
        program: { a: of(700), b: elsewhere, d: of(600) },
        command: 'up',
      },
      { command: 'refresh' },
    ],
  },
  {
    name: 'a replacement, while the program drops one of two that depend on it',
    steps: [
      { program: { a: of(600), b: onA(600), c: onA(600) }, command: 'preview' },
      { command: 'up' },
      { program: { a: replica, b: onA(600) }, command: 'preview' },
      { command: 'up' },
      { command: 'up --refresh', replace: ['a'] },
      { command: 'destroy' },
    ],
  },
  {
    name: 'a replacement whose create fails, of an endpoint that another one depends on',
    steps: [
      { program: { a: of(600), b: onA(700) }, command: 'up' },
      { program: { a: replica, b: onA(800) }, command: 'up', faults: [refuses('POST')] },
      { command: 'up' },
      { program: {}, command: 'up' },
    ],
  },
];
