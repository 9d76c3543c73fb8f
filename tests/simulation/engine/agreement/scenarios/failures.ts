import type { AgreementScenario, Declaration } from '../agreement-scenario';
import { fails, refuses } from './faults';

const size = (maxCu: number, more: Declaration['args'] = {}) => ({
  a: { args: { autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: maxCu, ...more } },
});
const trigger = (key: string) => ({ restartTriggers: { key: { $secret: key } } });
const created = { program: size(1), command: 'up' } as const;
const failedCreate = { ...created, faults: [fails('start_compute')] };
const failedUpdate = { program: size(2), command: 'up', faults: [fails('apply_config')] } as const;

/** Creates and updates that fail, and what users do next. */
export const failures: readonly AgreementScenario[] = [
  {
    name: 'an update that fails, and is repeated',
    steps: [created, failedUpdate, { command: 'preview' }, { command: 'up' }, { command: 'up' }],
  },
  {
    name: 'an update that fails, followed by another change of a secret',
    steps: [
      { program: size(1, trigger('one')), command: 'up' },
      { program: size(2, trigger('two')), command: 'up', faults: [fails('apply_config')] },
      { program: size(4, trigger('three')), command: 'up' },
    ],
  },
  {
    name: 'an update that fails, and a refresh',
    steps: [created, failedUpdate, { command: 'refresh' }, { command: 'preview' }, { command: 'up' }],
  },
  {
    name: 'a create that is refused, then fails, and is repeated',
    steps: [
      { ...created, faults: [refuses('POST')] },
      failedCreate,
      { command: 'preview' },
      { command: 'up' },
      { command: 'up' },
    ],
  },
  {
    name: 'a create that fails, and a refresh',
    steps: [failedCreate, { command: 'refresh' }, { command: 'up' }],
  },
  {
    name: 'a create that fails, of an endpoint that the program then drops',
    steps: [failedCreate, { program: {}, command: 'up' }],
  },
];
