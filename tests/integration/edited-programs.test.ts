import { failing, larger, longMs, patch, refused } from '../support/fault-rows';
import type { Round, Row } from '../support/row';
import { checkRows } from '../support/run-row';

// Reverts and changes after a failed run.

const stop = { disabled: true };
const setting = { pgSettings: { work_mem: '8MB' } };
const longer = { suspendTimeoutSeconds: 600 };
const failed = (program: Round['program'], action: string): Round => ({
  program: program ?? {},
  faults: [failing(action)],
  message: new RegExp(`operation ${action} \\S+ failed: no capacity`),
});

const stops: readonly Row[] = [
  {
    title: 'a stop whose suspension failed drops nothing when it is reverted',
    rounds: [{}, failed(stop, 'suspend_compute'), { program: {} }],
    expect: { drops: 0, state: { current_state: 'active', disabled: false } },
  },
  {
    title: 'a reverted failed stop still restarts for its new size',
    rounds: [{}, failed({ ...larger, ...stop }, 'suspend_compute'), { program: larger }],
    expect: { drops: 1 },
  },
  {
    title: 'allowRestart: false refuses the new size of a reverted stop',
    rounds: [
      {},
      failed({ ...larger, ...stop }, 'suspend_compute'),
      {
        program: { ...larger, allowRestart: false },
        message: /drops connections \(active now\)/,
      },
    ],
    expect: { drops: 0, state: { current_state: 'active', disabled: true } },
  },
];

const refusals: readonly Row[] = [
  {
    title: 'a setting is reset after a failure and a refused reset',
    rounds: [
      { program: setting },
      failed({ ...setting, ...longer }, 'apply_config'),
      { program: longer, faults: [refused(patch, 'always')], message: /403 Forbidden/ },
      {},
    ],
    expect: { drops: 0, state: { settings: { pg_settings: {} } } },
  },
  {
    title: 'sizes that are omitted after a failure send no empty change',
    rounds: [
      {},
      failed(larger, 'apply_config'),
      { program: { autoscalingLimitMinCu: undefined, autoscalingLimitMaxCu: undefined } as object },
    ],
    expect: { drops: 1, requests: { 'PATCH endpoint': 0 } },
  },
];

const creates: readonly Row[] = [
  {
    title: 'a create after a killed one resets what the program no longer gives',
    rounds: [
      {
        program: { ...stop, poolerEnabled: true, suspendTimeoutSeconds: -1 },
        cutOff: { how: 'killed', after: 'POST endpoints' },
      },
      { idleMs: longMs, program: {} },
    ],
    expect: { drops: 0, state: { disabled: false, pooler_enabled: false, suspend_timeout_seconds: 0 } },
  },
  {
    title: 'a foreign change during a create fails it; the next up restores it',
    rounds: [
      {
        program: longer,
        others: [
          { at: { after: 'POST endpoints', ms: 500 }, does: 'change', to: { suspend_timeout_seconds: 90 } },
        ],
        message: /the service reports a different suspendTimeoutSeconds than declared/,
      },
      {},
    ],
    expect: { drops: 0, state: { suspend_timeout_seconds: 600 } },
  },
];

checkRows([...stops, ...refusals, ...creates]);
