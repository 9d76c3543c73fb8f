import { failing, larger, longMs, patch, pooled, refused, triggered } from '../support/fault-rows';
import type { Round, Row } from '../support/row';
import { checkRows } from '../support/run-row';

// Runs after one that failed or was cut off, also of a program that was edited since.

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

const removals: readonly Row[] = [
  {
    title: 'removed triggers restart once, also after a failure',
    rounds: [{ program: triggered }, failed(pooled, 'apply_config'), {}],
    expect: { drops: 1 },
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

/** A run that is killed when the service has the change, one operation of which fails. */
const killed = (program: Round['program'], action: string): Round => ({
  program: program ?? {},
  faults: [failing(action)],
  cutOff: { how: 'killed', after: 'PATCH endpoint' },
});
const locksNothing = { locks: 'none' } as const;
const again = { idleMs: longMs };
/** Ctrl-C comes before the response to the request. */
const interrupted = (program: Round['program'], method: string, after: string): Round => ({
  program: program ?? {},
  faults: [{ match: { method }, effect: { kind: 'slow', delayMs: 2_000 } }],
  cutOff: { how: 'interrupted', after, ms: 200 },
  message: /interrupted/,
});

const cutOffs: readonly Row[] = [
  ...(
    [
      ['apply_config', larger],
      ['suspend_compute', { ...larger, ...pooled }],
      ['start_compute', larger],
    ] as const
  ).map(([action, program]) => ({
    title: `the next run repeats the failed ${action} of a killed one`,
    service: locksNothing,
    rounds: [{}, killed(larger, action), { ...again, program }],
    expect: { drops: 1, state: { current_state: 'active', autoscaling_limit_max_cu: 2 } },
  })),
  {
    title: 'does not repeat the restart of a killed run with allowRestart: false',
    service: locksNothing,
    rounds: [
      {},
      killed(larger, 'apply_config'),
      { ...again, program: { ...larger, allowRestart: false }, message: /allowRestart is false/ },
    ],
    expect: { drops: 0 },
  },
  {
    title: 'the next up resumes an interrupted restart',
    rounds: [{}, interrupted(triggered, 'POST', 'POST suspend'), again],
    expect: { drops: 1 },
  },
];

checkRows([...stops, ...refusals, ...removals, ...creates, ...cutOffs]);
