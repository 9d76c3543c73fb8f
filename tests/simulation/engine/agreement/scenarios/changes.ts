import type { AgreementScenario, Declaration } from '../agreement-scenario';

const of = (args: Declaration['args'] = {}) => ({ a: { args } });
const size = (maxCu: number) => ({ autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: maxCu });

/** Programs that change, and a service that does what it is asked to. */
export const changes: readonly AgreementScenario[] = [
  {
    name: 'an endpoint from its creation to its end, each step previewed',
    steps: [
      { program: of(size(1)), command: 'preview' },
      { command: 'up' },
      { command: 'up' },
      { program: of({ ...size(2), suspendTimeoutSeconds: 600 }), command: 'preview' },
      { command: 'up' },
      { program: {}, command: 'preview' },
      { command: 'up' },
    ],
  },
  {
    name: 'arguments that are set, changed and removed',
    steps: [
      { program: of({ pgSettings: { work_mem: '8MB' }, restartTriggers: { release: '1' } }), command: 'up' },
      { program: of({ suspendTimeoutSeconds: 600, restartTriggers: { release: '2' } }), command: 'up' },
      { program: of({ disabled: true }), command: 'preview' },
      { command: 'up' },
      { program: of(), command: 'up' },
    ],
  },
  {
    name: 'a name that is given, changed and taken away, and a move to another branch',
    steps: [
      { program: of(), command: 'up' },
      { program: of({ name: 'main' }), command: 'up' },
      { program: of({ name: 'other' }), command: 'up' },
      { program: of(), command: 'up' },
      { program: { a: { place: 'second branch' } }, command: 'up' },
    ],
  },
  {
    name: 'time-outs and arguments that have no effect at the service',
    steps: [
      { program: of(), command: 'up' },
      { program: { a: { timeoutSeconds: 900 } }, command: 'up' },
      { program: { a: { args: { allowRestart: true }, timeoutSeconds: 900 } }, command: 'up' },
      { command: 'destroy' },
    ],
  },
  {
    name: 'changes that do not wait for their operations',
    service: { operationMs: 400 },
    steps: [
      { program: of({ ...size(1), waitForOperations: false }), command: 'up' },
      { command: 'up' },
      { program: of({ ...size(2), waitForOperations: false }), command: 'up' },
      { command: 'refresh' },
      { command: 'up' },
    ],
  },
  {
    name: 'a restart that the program forbids, and then allows',
    steps: [
      { program: of({ ...size(1), allowRestart: false }), command: 'up' },
      { program: of({ ...size(2), allowRestart: false }), command: 'preview' },
      { command: 'up' },
      { program: of(size(2)), command: 'up' },
    ],
  },
  {
    name: 'invalid arguments',
    steps: [
      { program: of({ autoscalingLimitMinCu: 4, autoscalingLimitMaxCu: 1 }), command: 'preview' },
      { command: 'up' },
      { program: of(size(1)), command: 'up' },
      { program: of({ suspendTimeoutSeconds: 600_000_000 }), command: 'up' },
      { program: of({ suspendTimeoutSeconds: 600 }), command: 'up' },
    ],
  },
  {
    name: 'values that become secrets, change, and are no longer secrets',
    steps: [
      {
        program: of({ name: { $secret: 'hidden' }, pgSettings: { application_name: 'one' } }),
        command: 'up',
      },
      {
        program: of({ name: 'hidden', pgSettings: { application_name: { $secret: 'one' } } }),
        command: 'up',
      },
      {
        program: of({ name: 'hidden', pgSettings: { $secret: { application_name: 'two' } } }),
        command: 'up',
      },
      { command: 'refresh' },
      { program: of({ name: 'hidden', pgSettings: { application_name: 'two' } }), command: 'up' },
    ],
  },
];
