import {
  failing,
  hanging,
  larger,
  longMs,
  notWaiting,
  patch,
  refused,
  start,
  triggered,
} from '../support/fault-rows';
import type { Row } from '../support/row';
import { checkRows } from '../support/run-row';

// What a command waits for, and what the next one does after an operation that failed.

const hasFailed = (action: string) => new RegExp(`operation ${action} \\S+ failed`);

const operations: readonly Row[] = [
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
    title: 'a refused start is repaired although the trigger is reverted',
    rounds: [{}, { program: triggered, faults: [refused(start)], message: /403 Forbidden/ }, { program: {} }],
    expect: { drops: 1 },
  },
  {
    title: 'size and trigger restart once although the response is late',
    rounds: [
      { program: { restartTriggers: { release: '1' } } },
      {
        program: { ...triggered, ...larger },
        faults: [{ match: patch, effect: { kind: 'slow', delayMs: 40_000 } }],
      },
    ],
    expect: { drops: 1 },
  },
];

checkRows([...operations, ...unawaited, ...restarts]);
