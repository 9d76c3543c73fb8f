import {
  calls,
  cutAt,
  fails,
  hangs,
  isHidden,
  isLate,
  left,
  notWaiting,
  plan,
  quiet,
  type Regression,
  round,
} from './parts';

const small = { ...notWaiting, size: [0.25, 0.25] } as const;
const triggered = { ...notWaiting, trigger: 'a' } as const;
const suspensionFails = fails('suspend_compute');

/** Runs with `waitForOperations: false`, of which a later one resumes what is open. */
export const withoutWaiting: Readonly<Record<string, Regression>> = {
  // The next run does not see the failed operation yet, and sends the restart again.
  'a sent restart is not repeated for its earlier failed suspension': {
    service: { operationMs: 0, lateGetsMs: 500 },
    rounds: [round(notWaiting), round(triggered, { faults: [suspensionFails] })],
  },
  // The next run may see the suspension running, and the start cancelled.
  'a compute starts when its suspension fails during a read': {
    service: { operationMs: 100 },
    rounds: [round(notWaiting), round(small, { faults: [suspensionFails] })],
    seeds: 10,
    longestDelayMs: 200,
  },
  'a stale list does not pass the start of a create off as that of a move': {
    service: { operationMs: 3_000, locks: 'none' },
    rounds: [
      quiet(),
      round(
        { ...plan, branch: 1 },
        {
          faults: [
            isLate(calls.endpoints, 1, 200),
            isLate(calls.anyGet, 2, 2_140),
            isHidden(calls.change, 'after-work', 1, 200),
            suspensionFails,
          ],
        },
      ),
    ],
  },
  "a create's start does not count for a restart that a proxy hid": {
    service: { operationMs: 1_500, locks: 'none' },
    rounds: [quiet(notWaiting), round(triggered, { faults: [isHidden(calls.start, 'before-work')] })],
  },
  'a wait for the lock does not hide what a killed run started': {
    service: { operationMs: 0 },
    rounds: [
      quiet(small),
      round(notWaiting, {
        faults: [hangs('apply_config'), fails('start_compute')],
        mishap: cutAt(1, 'kill of the CLI', { lingerMs: 1_000 }),
        isRepeated: true,
      }),
    ],
    seeds: 10,
  },
  'a later suspension replaces a failed one': {
    service: { operationMs: 100, schedulingMs: 0, locks: 'none' },
    rounds: [
      quiet({ ...notWaiting, name: 'a' }),
      round(triggered, { faults: [suspensionFails], mishap: cutAt(1, 'Ctrl-C'), isRepeated: true }),
    ],
    seeds: 20,
  },
  'a repeated restart with an interrupted start is not done again': {
    service: { operationMs: 0 },
    rounds: [
      quiet(small),
      left(notWaiting, suspensionFails),
      round(notWaiting, { mishap: cutAt(3, 'Ctrl-C') }),
    ],
    seeds: 30,
    longestDelayMs: 1_500,
  },
  'a restart started after a failed suspension stays disruptive': {
    service: { operationMs: 100, schedulingMs: 0, locks: 'none' },
    rounds: [
      quiet(triggered),
      left(notWaiting, suspensionFails),
      round(notWaiting, { isGuarded: true, isRunTwice: true, isRepeated: true, refreshesBetween: true }),
    ],
    seeds: 10,
  },
};
