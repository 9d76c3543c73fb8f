import { failing, larger, longMs, pooled, triggered } from '../support/fault-rows';
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
]);
