import {
  create,
  failing,
  hanging,
  larger,
  listOperations,
  longMs,
  notWaiting,
  refused,
  start,
  triggered,
} from '../support/fault-rows';
import type { Deed, Row } from '../support/row';
import { checkRows } from '../support/run-row';

// What a command waits for, and what the next one does after an operation that failed.

const hasFailed = (action: string) => new RegExp(`operation ${action} \\S+ failed`);
const newer: Deed = {
  at: { after: 'POST endpoints' },
  does: 'operate',
  operation: { action: 'check_availability', status: 'finished' },
};

const operations: readonly Row[] = [
  {
    title: 'a resumed create finds its own operation behind 1,100 newer ones',
    rounds: [
      {
        others: Array.from({ length: 1_100 }, () => newer),
        cutOff: { how: 'killed', after: 'POST endpoints', ms: 100 },
      },
      {},
    ],
    expect: { drops: 0 },
  },
  {
    title: 'an up after a refresh repeats a resize whose apply_config failed',
    rounds: [
      {},
      { program: larger, faults: [failing('apply_config')], message: hasFailed('apply_config') },
      { command: 'refresh' },
      { program: larger },
    ],
    expect: { drops: 1, state: { current_state: 'active', autoscaling_limit_max_cu: 2 } },
  },
  {
    title: "a create's failed start is repeated after a refused repetition",
    rounds: [
      {
        faults: [failing('start_compute')],
        message: /^create of endpoint ep-\S+: operation start_compute \S+ failed: no capacity/,
      },
      { faults: [refused(start)], message: /403 Forbidden/ },
      { program: { allowRestart: false } },
    ],
    expect: { drops: 0, requests: { 'POST endpoints': 0, 'POST start': 1 } },
  },
  {
    title: 'an update after a failed create leaves foreign changes alone',
    rounds: [
      { faults: [failing('start_compute')], message: hasFailed('start_compute') },
      {
        others: [{ does: 'change', to: { settings: { pg_settings: { work_mem: '64MB' } } } }],
        faults: [failing('start_compute')],
        message: hasFailed('start_compute'),
      },
      {},
    ],
    expect: { drops: 0, state: { settings: { pg_settings: { work_mem: '64MB' } } } },
  },
  {
    title: 'the start of a killed create that failed is repeated by the next one',
    rounds: [
      {
        faults: [failing('start_compute')],
        cutOff: { how: 'killed', after: 'POST endpoints' },
      },
      { idleMs: longMs },
    ],
    expect: { drops: 0, requests: { 'POST start': 1 } },
  },
  {
    title: 'repairs a create with a lost response and an unreadable list',
    rounds: [
      {
        faults: [
          failing('start_compute'),
          { match: create, effect: { kind: 'lost-after-work' } },
          refused(listOperations),
        ],
      },
    ],
    expect: { drops: 0, requests: { 'POST endpoints': 1 } },
  },
  {
    title: 'settings that the service spells differently are no change',
    service: { normalizeSettings: true },
    rounds: [
      { program: { pgSettings: { work_mem: '8MB' } } },
      { program: { pgSettings: { Work_Mem: '64MB', statement_timeout: '1min', enable_seqscan: 'off' } } },
    ],
    expect: { drops: 0, state: { settings: { pg_settings: { work_mem: '65536kB' } } } },
  },
];

const unawaited: readonly Row[] = [
  {
    title: 'without waiting, an update returns, and the next one waits',
    rounds: [
      {},
      { program: { ...larger, ...notWaiting }, faults: [hanging('apply_config')], withinMs: 500 },
      { program: larger },
    ],
    expect: { drops: 1, state: { current_state: 'active', autoscaling_limit_max_cu: 2 } },
  },
  {
    title: 'without waiting, a delete still waits, fails and is repeated',
    rounds: [
      { program: notWaiting },
      {
        idleMs: longMs,
        command: 'destroy',
        faults: [failing('suspend_compute')],
        message: /^delete of endpoint \S+: operation suspend_compute \S+ failed/,
      },
      { command: 'destroy' },
    ],
    expect: { drops: 1, state: 'nothing' },
  },
];

/** The service has suspended the compute and started it again since the last run. */
const woken: readonly Deed[] = [{ does: 'suspend' }, { does: 'start' }];

// The run after one that failed finishes what is owed, and repeats nothing that is paid.
const restarts: readonly Row[] = [
  {
    title: 'a restart that failed at its suspension and its start happens once',
    rounds: [
      {},
      { program: larger, faults: [failing('apply_config')], message: hasFailed('apply_config') },
      { faults: [failing('start_compute')], message: hasFailed('start_compute') },
      {},
    ],
    expect: { drops: 1 },
  },
  {
    title: 'a restart without waiting reports its failed suspension',
    rounds: [
      {},
      {
        program: { ...notWaiting, ...triggered },
        faults: [failing('suspend_compute')],
        message: hasFailed('suspend_compute'),
      },
      { program: triggered },
    ],
    expect: { drops: 1 },
  },
  {
    title: 'a refused start is repaired although the trigger is reverted',
    rounds: [{}, { program: triggered, faults: [refused(start)], message: /403 Forbidden/ }, { program: {} }],
    expect: { drops: 1 },
  },
  {
    title: 'the next run resumes a start that was refused without waiting',
    rounds: [
      {},
      { program: triggered, faults: [failing('suspend_compute')], message: hasFailed('suspend_compute') },
      {
        program: { ...triggered, ...notWaiting },
        faults: [refused(start, 'always')],
        message: /403 Forbidden/,
      },
      { idleMs: longMs, program: triggered },
    ],
    expect: { drops: 1 },
  },
  {
    title: 'a foreign restart pays a failed restart that was refused',
    service: { locks: 'none' },
    rounds: [
      {},
      { program: larger, faults: [failing('suspend_compute')], message: hasFailed('suspend_compute') },
      { program: { ...larger, allowRestart: false }, message: /allowRestart is false/ },
      { program: larger, others: woken },
    ],
    expect: { drops: 1 },
  },
];

checkRows([...operations, ...unawaited, ...restarts]);
