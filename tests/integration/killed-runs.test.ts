import {
  failing,
  larger,
  listOperations,
  longMs,
  notWaiting,
  patch,
  pooled,
  refused,
  triggered,
} from '../support/fault-rows';
import type { Round } from '../support/row';
import { checkRows } from '../support/run-row';

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

const repeats = [
  ['apply_config', larger, 'has failed', longMs],
  ['apply_config', larger, 'is still running', 0],
  ['suspend_compute', larger, 'has failed', longMs],
  ['suspend_compute', { ...larger, ...pooled }, 'has failed', longMs],
  ['start_compute', larger, 'has failed', longMs],
] as const;

checkRows([
  ...repeats.map(([action, program, what, idleMs]) => ({
    title: `repeats the ${action} of a killed run, which ${what}: ${JSON.stringify(program)}`,
    service: locksNothing,
    rounds: [{}, killed(larger, action), { program, idleMs }],
    expect: { drops: 1, state: { current_state: 'active', autoscaling_limit_max_cu: 2 } },
  })),
  {
    title: 'repeats the restart of a killed run beside an older failure in state',
    service: locksNothing,
    rounds: [
      {},
      { program: pooled, faults: [failing('apply_config')], message: /apply_config \S+ failed/ },
      killed({ ...pooled, ...larger }, 'suspend_compute'),
      again,
    ],
    expect: { drops: 1 },
  },
  {
    title: 'the suspension of a killed move is repeated, and nothing is started',
    service: locksNothing,
    rounds: [{}, killed({ branchId: 'other' }, 'suspend_compute'), again],
    expect: { drops: 1, state: { current_state: 'idle' } },
  },
  ...[larger, { ...larger, ...pooled }].map((program) => ({
    title: `leaves the repetition to the next run without a list: ${JSON.stringify(program)}`,
    service: locksNothing,
    rounds: [
      {},
      killed(larger, 'suspend_compute'),
      { ...again, program, faults: [refused(listOperations, 'always')], message: /403 Forbidden/ },
      {},
    ],
    expect: { drops: 1 },
  })),
  {
    title: 'repeats the restart of a killed run after a foreign change',
    service: locksNothing,
    rounds: [
      {},
      killed(larger, 'suspend_compute'),
      {
        ...again,
        program: { ...larger, ...pooled },
        others: [{ does: 'patch', body: { pooler_enabled: true } }],
      },
    ],
    expect: { drops: 1 },
  },
  {
    title: 'does not repeat the restart of a killed run after a foreign restart',
    service: locksNothing,
    rounds: [
      {},
      killed(larger, 'suspend_compute'),
      { ...again, others: [{ does: 'suspend' }, { does: 'start' }] },
    ],
    expect: { drops: 1 },
  },
  {
    title: 'a restart that a killed run began also counts for a trigger',
    service: locksNothing,
    rounds: [
      {},
      { program: { ...larger, ...triggered }, cutOff: { how: 'killed', after: 'PATCH endpoint' } },
      {},
    ],
    expect: { drops: 1, requests: { 'POST suspend': 0 } },
  },
  {
    title: 'a restart repeats the suspension of a killed one if that fails',
    service: { ...locksNothing, schedulingMs: 200 },
    rounds: [
      {},
      {
        program: triggered,
        faults: [failing('suspend_compute')],
        cutOff: { how: 'killed', after: 'POST suspend', ms: 500 },
      },
      {},
    ],
    expect: { drops: 1 },
  },
  {
    title: "the failed restart of others is not repeated for a change that doesn't restart",
    service: locksNothing,
    rounds: [
      {},
      {
        command: 'refresh',
        others: [{ does: 'patch', body: { autoscaling_limit_max_cu: 2 } }],
        faults: [failing('suspend_compute')],
      },
      { program: { ...larger, ...pooled } },
    ],
    expect: { drops: 0 },
  },
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
    title: 'a stop that failed twice and is reverted drops nothing',
    service: locksNothing,
    rounds: [
      { program: notWaiting },
      {
        ...again,
        program: { disabled: true },
        faults: [failing('suspend_compute')],
        cutOff: { how: 'killed', after: 'PATCH endpoint', ms: 500 },
      },
      { idleMs: 500, faults: [failing('suspend_compute')], message: /suspend_compute \S+ failed/ },
      { program: {} },
    ],
    expect: { drops: 0 },
  },
  {
    title: 'a killed update has set a setting that is reverted after a refusal',
    rounds: [
      {},
      { program: larger, faults: [failing('apply_config')], message: /apply_config \S+ failed/ },
      {
        program: { ...larger, pgSettings: { work_mem: '8MB' } },
        cutOff: { how: 'killed', after: 'PATCH endpoint' },
      },
      { ...again, faults: [refused(patch, 'always')], message: /403 Forbidden/ },
      { program: larger },
    ],
    expect: { drops: 1, state: { settings: { pg_settings: {} } } },
  },
  {
    title: 'resumes an interrupted resize, and repeats the start that failed since',
    rounds: [
      {},
      {
        ...interrupted(larger, 'PATCH', 'PATCH endpoint'),
        faults: [...(interrupted(larger, 'PATCH', '').faults ?? []), failing('start_compute')],
      },
      again,
    ],
    expect: { drops: 1, state: { current_state: 'active', autoscaling_limit_max_cu: 2 } },
  },
  ...[triggered, {}].flatMap((program) => [
    {
      title: `the next up resumes an interrupted restart: ${JSON.stringify(program)}`,
      rounds: [
        { program: { restartTriggers: { release: '1' } } },
        interrupted(program, 'POST', 'POST suspend'),
        again,
      ],
      expect: { drops: 1 },
    },
    {
      title: `an up after a refresh resumes a restart: ${JSON.stringify(program)}`,
      rounds: [
        { program: { restartTriggers: { release: '1' } } },
        interrupted(program, 'POST', 'POST suspend'),
        { ...again, command: 'refresh' as const },
        {},
      ],
      expect: { drops: 1 },
    },
  ]),
]);
