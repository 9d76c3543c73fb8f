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
