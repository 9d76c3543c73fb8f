import { calls, cutAt, fails, isLate, isRefused, notWaiting, plan, type Regression, round } from './parts';

/** Creates and take-overs. */
export const creates: Readonly<Record<string, Regression>> = {
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
  'a create finds a start whose lost response hides that it was sent twice': {
    service: { operationMs: 3_000, locks: 'none' },
    rounds: [
      round(plan, {
        isRepeated: true,
        faults: [isRefused(calls.verb, 1, 408, 'after-work'), fails('start_compute', 2)],
      }),
    ],
  },
};
