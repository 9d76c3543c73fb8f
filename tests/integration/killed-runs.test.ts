import { failing, larger, listOperations, longMs, pooled, refused, triggered } from '../support/fault-rows';
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

checkRows([
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
    title: 'the suspension of a killed move is repeated, and nothing is started',
    service: locksNothing,
    rounds: [{}, killed({ branchId: 'other' }, 'suspend_compute'), again],
    expect: { drops: 1, state: { current_state: 'idle' } },
  },
  {
    title: 'leaves the repetition to the next run without a list',
    service: locksNothing,
    rounds: [
      {},
      killed(larger, 'suspend_compute'),
      { ...again, faults: [refused(listOperations, 'always')], message: /403 Forbidden/ },
      {},
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
    title: 'the failed restart of others is not repeated for another change',
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
    title: 'the next up resumes an interrupted restart',
    rounds: [{}, interrupted(triggered, 'POST', 'POST suspend'), again],
    expect: { drops: 1 },
  },
  {
    title: 'an up after a refresh resumes a restart for a removed trigger',
    rounds: [
      { program: triggered },
      interrupted({}, 'POST', 'POST suspend'),
      { ...again, command: 'refresh' },
      {},
    ],
    expect: { drops: 1 },
  },
]);
