import {
  calls,
  cutAt,
  deletion,
  fails,
  forcedReplacement,
  isLate,
  isRefused,
  isSlow,
  keptReplica,
  lock,
  notWaiting,
  plan,
  quiet,
  type Regression,
  replica,
  round,
} from './parts';

const named = { ...plan, name: 'a' } as const;
const smallReplica = { ...keptReplica, isWaiting: false, size: [0.25, 0.25] } as const;

/** Creates, take-overs and replacements. */
export const creates: Readonly<Record<string, Regression>> = {
  'a create waits for its slow last list': {
    service: { operationMs: 100 },
    rounds: [round(plan, { faults: [isSlow(calls.endpoints, 3, 20_000)] })],
    seeds: 1,
    longestDelayMs: 1,
    succeeds: true,
  },
  'a create of a replica that waited for the lock skips the read lag': {
    service: { operationMs: 3_000, locks: 'project' },
    rounds: [round(replica, { disturbances: [{ ...lock, status: 'running', forMs: 8_000 }] })],
    seeds: 1,
    longestDelayMs: 1,
    scenario: { timeoutSeconds: 20 },
    succeeds: true,
  },
  // The response to the create is lost. Ctrl-C comes while its operations are looked up.
  'an interrupted take-over resumes a failed start': {
    service: { operationMs: 0, locks: 'project' },
    rounds: [
      round(
        { ...notWaiting, size: [0.25, 0.25] },
        {
          faults: [
            fails('start_compute'),
            { match: calls.create, times: 1, effect: { kind: 'malformed' } },
            isLate(calls.operations, 1, 1_000),
          ],
          mishap: cutAt(13, 'Ctrl-C', { counts: 'events' }),
          isRunTwice: true,
          isRepeated: true,
          isGuarded: true,
          refreshesBetween: true,
        },
      ),
    ],
  },
  'the next create finds the orphan of a killed replacement': {
    service: { operationMs: 0 },
    rounds: [4, 5, 6, 7, 8, 9, 10].flatMap((at) => [
      round({ ...keptReplica, isWaiting: false, project: 1 }),
      // At some of these events the request has been sent, and the endpoint is not in state yet.
      round(
        { ...keptReplica, isWaiting: false },
        {
          disturbances: [deletion],
          mishap: cutAt(at, 'kill of CLI and host', { counts: 'events' }),
          refreshesBetween: true,
        },
      ),
    ]),
    seeds: 1,
  },
  'a create does not fail for a deleted endpoint in a stale list': {
    service: { operationMs: 0 },
    rounds: [1, 2, 3, 4].flatMap((at) => [
      round({ ...notWaiting, name: 'a' }),
      // It keeps the name.
      round(notWaiting, {
        forced: [{ slot: 0, how: 'taint' }],
        mishap: cutAt(at),
        refreshesBetween: true,
        faults: [isLate(calls.endpoints, 1, 200)],
        lateReads: [isLate(calls.endpoints, 2, 299)],
      }),
    ]),
  },
  'a take-over moves to the branch of a killed replacement': {
    service: { operationMs: 0 },
    rounds: [
      round(smallReplica),
      round(
        { ...smallReplica, branch: 1 },
        {
          forced: [forcedReplacement],
          mishap: cutAt(1, 'kill of CLI and host'),
          isGuarded: true,
          refreshesBetween: true,
          faults: [isLate(calls.endpoints, 1, 200)],
        },
      ),
    ],
  },
  'a create finds a start whose lost response hides that it was sent twice': {
    service: { operationMs: 3_000, locks: 'none' },
    rounds: [
      round(plan, {
        isRepeated: true,
        faults: [isRefused(calls.verb, 1, 408, 'after-work'), fails('start_compute', 2)],
      }),
    ],
  },
  'a stale read does not replace an endpoint without allowRestart': {
    service: { operationMs: 0 },
    rounds: [20, 40, 80, 200, 4_000].flatMap((lateMs) => [
      round({ ...plan, project: 1 }),
      round(plan, { isGuarded: true, faults: [isLate(calls.anyGet, 2, lateMs)] }),
    ]),
  },
  'a stale read does not make a failed delete succeed': {
    service: { operationMs: 0 },
    rounds: [
      quiet(),
      round(replica, {
        faults: [isLate(calls.endpoints, 2, 3_000), isLate(calls.get, 2, 3_000), fails('suspend_compute')],
      }),
    ],
  },
  'a create does not adopt an endpoint that only stale reads show': {
    service: { operationMs: 0 },
    rounds: [
      quiet(named),
      quiet({ ...named, isDeclared: false }),
      round(named, { faults: [isLate(calls.anyGet, 3, 400)] }),
    ],
    succeeds: true,
  },
  "a take-over changes what the endpoint has, not a stale list's": {
    service: { operationMs: 0, lateListsMs: 500 },
    rounds: [
      quiet(smallReplica),
      { ...round({ ...smallReplica, size: [1, 4] }), isLeft: true },
      round({ ...keptReplica, isWaiting: false }, { forced: [forcedReplacement], isRepeated: true }),
    ],
    seeds: 10,
  },
};
