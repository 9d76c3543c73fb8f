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
import type { Deed, Row } from '../support/row';
import { checkRows } from '../support/run-row';

// The run after one that failed: it finishes what is owed, and repeats nothing that is paid.

const locksNothing = { locks: 'none' } as const;
const settled = { idleMs: longMs };
const hasFailed = (action: string) => new RegExp(`operation ${action} \\S+ failed`);
/** The service has suspended the compute and started it again since the last run. */
const woken: readonly Deed[] = [{ does: 'suspend' }, { does: 'start' }];

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
  ...['1', '2', '3'].map((release) => ({
    title: `a refused start is repaired when the trigger is then ${release}`,
    rounds: [
      { program: { restartTriggers: { release: '1' } } },
      { program: { restartTriggers: { release: '2' } }, faults: [refused(start)], message: /403 Forbidden/ },
      { program: { restartTriggers: { release } } },
    ],
    // Another trigger asks for the same restart.
    expect: { drops: 1 },
  })),
  ...[true, false].map((waitForOperations) => ({
    title: `the next run resumes a refused start (waiting: ${waitForOperations})`,
    rounds: [
      {},
      { program: triggered, faults: [failing('suspend_compute')], message: hasFailed('suspend_compute') },
      {
        program: { ...triggered, waitForOperations },
        faults: [refused(start, 'always' as const)],
        message: /403 Forbidden/,
      },
      { ...settled, program: triggered },
    ],
    expect: { drops: 1 },
  })),
  {
    title: 'a resize that times out pays a failed restart',
    service: locksNothing,
    rounds: [
      {},
      { program: triggered, faults: [failing('suspend_compute')], message: hasFailed('suspend_compute') },
      {
        program: { ...triggered, ...larger },
        timeoutSeconds: 20,
        faults: [hanging('start_compute')],
        message: /still waiting for start_compute/,
      },
      settled,
    ],
    expect: { drops: 1 },
  },
  {
    title: 'a resize that a proxy hides pays a failed restart',
    service: locksNothing,
    rounds: [
      {},
      { program: triggered, faults: [failing('suspend_compute')], message: hasFailed('suspend_compute') },
      {
        program: { ...triggered, ...larger },
        faults: [
          { match: patch, times: 'always', effect: { kind: 'proxy-page', status: 404, when: 'after-work' } },
        ],
        message: /404 Not Found/,
      },
      settled,
    ],
    expect: { drops: 1 },
  },
  {
    title: 'a foreign restart pays a failed restart that was refused',
    service: locksNothing,
    rounds: [
      {},
      { program: larger, faults: [failing('suspend_compute')], message: hasFailed('suspend_compute') },
      { program: { ...larger, allowRestart: false }, message: /allowRestart is false/ },
      { program: larger, others: woken },
    ],
    expect: { drops: 1 },
  },
  {
    title: 'the repeated suspension of a move starts nothing',
    service: locksNothing,
    rounds: [
      { program: notWaiting },
      { program: { ...notWaiting, branchId: 'other' }, faults: [failing('suspend_compute')] },
      { ...settled, program: { branchId: 'other' } },
    ],
    expect: { drops: 1, state: { current_state: 'idle' } },
  },
];

checkRows(restarts);
