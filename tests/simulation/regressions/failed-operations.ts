import {
  calls,
  cutAt,
  deletion,
  fails,
  forcedReplacement,
  hangs,
  isHidden,
  isRefused,
  keptReplica,
  left,
  notWaiting,
  plan,
  quiet,
  type Regression,
  round,
} from './parts';

const small = { ...plan, size: [0.25, 0.25] } as const;
const large = { ...plan, size: [1, 4] } as const;
const triggered = { ...plan, trigger: 'a' } as const;
const suspensionFails = fails('suspend_compute');
const startFails = fails('start_compute');
const configFails = fails('apply_config');

/** Changes whose operations fail, and what the user does then. */
export const failedOperations: Readonly<Record<string, Regression>> = {
  'a repeated update restarts once, even if its start hangs': {
    service: { operationMs: 0 },
    rounds: [round(small), round(plan, { isRepeated: true, faults: [hangs('start_compute'), configFails] })],
    scenario: { timeoutSeconds: 20 },
  },
  'a lost response does not make an earlier operation its own': {
    service: { operationMs: 0 },
    rounds: [
      round(plan, { isRepeated: true, faults: [startFails] }),
      round({ ...plan, workMem: '8MB' }, { faults: [isRefused(calls.change, 1, 408, 'after-work')] }),
    ],
  },
  'a page as the first response does not hide a failed operation': {
    service: { operationMs: 0 },
    rounds: [
      quiet(),
      left({ ...plan, workMem: '8MB' }, isHidden(calls.change, 'after-work', 1, 503), configFails),
      round({ ...plan, workMem: '8MB' }, { isGuarded: true }),
    ],
  },
  'a failed restart that a killed run has repeated is not repeated again': {
    service: { operationMs: 0 },
    rounds: [
      quiet(),
      left(large, suspensionFails),
      round({ ...large, isWaiting: false }, { mishap: cutAt(1, 'kill of the CLI', { lingerMs: 500 }) }),
    ],
  },
  "a killed run's failed suspension is found beside the create's start": {
    service: { operationMs: 0, lateListsMs: 500 },
    rounds: [
      quiet(notWaiting),
      round({ ...plan, size: [0.5, 2] }, { mishap: cutAt(1), faults: [suspensionFails], isRepeated: true }),
    ],
    seeds: 20,
  },
  'a failed start is retried although lists show operations twice': {
    service: { operationMs: 0 },
    rounds: [
      quiet(),
      left(large, startFails),
      round(
        { ...plan, size: [0.5, 2] },
        {
          faults: [{ match: calls.operations, times: 3, effect: { kind: 'repeated-operations' } }],
          idleMs: 400_000,
        },
      ),
    ],
  },
  'a failed look at operations is repeated by the next run': {
    service: { operationMs: 0 },
    rounds: [
      quiet(),
      round(large, {
        isRepeated: true,
        mishap: cutAt(1, 'kill of CLI and host'),
        faults: [startFails, isHidden(calls.operations, 'before-work', 10)],
      }),
    ],
  },
  'a killed resize that failed is repeated beside a deleted endpoint': {
    service: { operationMs: 0 },
    rounds: [
      { slots: [plan, plan], isQuiet: true },
      {
        slots: [large, plan],
        faults: [configFails],
        mishap: cutAt(2, 'kill of CLI and host'),
        disturbances: [{ ...deletion, at: 0, slot: 1 }],
      },
    ],
    scenario: { secondStackFrom: 2 },
  },
  'a restart that Ctrl-C interrupts after its start happens once': {
    service: { operationMs: 100, lateListsMs: 4_000 },
    rounds: [
      quiet(),
      ...[36, 37, 38, 39, 40, 41].flatMap((at) => [
        left(large, suspensionFails),
        round(large, { mishap: cutAt(at, 'Ctrl-C', { counts: 'events' }) }),
        quiet(),
      ]),
    ],
  },
  'a failed resize is reverted although a stale list shows the old size': {
    service: { operationMs: 0, lateListsMs: 4_000 },
    rounds: [
      quiet(large),
      left({ ...small, application: 'a' }, startFails),
      round({ ...large, application: 'a' }, { mishap: cutAt(1, 'Ctrl-C'), refreshesBetween: true }),
    ],
    seeds: 10,
  },
  'a secret name stays secret in a stale refresh after its revert': {
    service: { operationMs: 0, lateListsMs: 4_000 },
    rounds: [
      quiet(),
      left({ ...triggered, name: 'a' }, suspensionFails),
      round(plan, { faults: [suspensionFails], refreshesBetween: true }),
    ],
    seeds: 10,
    scenario: {
      traits: [{ secretSettings: 'no', secretTriggers: 'no', isNameSecret: true, isShared: false }],
    },
  },
  'a forced replacement repeats the failed apply_config': {
    service: { operationMs: 100 },
    rounds: [
      quiet(keptReplica),
      left({ ...keptReplica, size: [0.25, 0.25] }, configFails, isHidden(calls.change)),
      round(
        { ...keptReplica, size: [0.25, 0.25] },
        { faults: [isRefused(calls.operations, 3)], forced: [forcedReplacement] },
      ),
    ],
    seeds: 10,
  },
  'a compute starts when a proxy hid an unneeded suspension': {
    service: { operationMs: 0, schedulingMs: 0, lateListsMs: 500 },
    rounds: [
      quiet(),
      left(small, configFails),
      round(plan, { faults: [isHidden(calls.verb), isHidden(calls.change)], isRepeated: true }),
    ],
    seeds: 10,
  },
  'a killed resize that reverts a failed stop is applied once': {
    service: { operationMs: 1_500, schedulingMs: 0 },
    rounds: [
      quiet(),
      left({ ...plan, isStopped: true }, suspensionFails),
      round(small, { mishap: cutAt(1, 'kill of CLI and host') }),
    ],
    seeds: 10,
  },
};
