import { cloneDeepWith, isEqual } from 'lodash';
import { isEndless } from '../simulation/scenario/faults';
import type { Scenario } from '../simulation/scenario/scenario';
import type { DoorName } from '../support/program-doors';

// The one place where a scenario of the simulation is changed: what takes virtual time, or what only the plugin can do.

type Change = (scenario: Scenario, door: DoorName) => Scenario;

/** By what the scenario had, for the totals. */
const changes: Readonly<Record<string, Change>> = {
  'idle times cut to 2 s, so that no compute is suspended': shorten({ idleMs: 2_000 }),
  'delays of the network cut to 0.2 s of waiting': shorten({ longestDelayMs: 200 }),
  'delays of responses, 429s, locks and late reads cut to at most 4 s': shorten({
    delayMs: 1_000,
    retryAfterSeconds: 2,
    forMs: 4_000,
    lateMs: 1_500,
    lateListsMs: 1_500,
    lateGetsMs: 1_500,
  }),
  'time-outs of operations that hang cut to 20 s': (scenario) => {
    const isHanging = scenario.rounds.some(({ faults }) => faults.some(isEndless));
    return isHanging ? { ...scenario, timeoutSeconds: 20 } : scenario;
  },
  'limits of requests left out, which would take minutes': (scenario) => ({
    ...scenario,
    requestsPerMinute: undefined,
    service: { ...scenario.service, requestsPerMinute: 0 },
  }),
  'replaceOnChanges left out, which has no effect on a dynamic resource': (scenario, door) => {
    if (door === 'plugin') return scenario;
    const rounds = scenario.rounds.map(({ forced, ...round }) => ({
      ...round,
      forced: forced.filter(({ how }) => how !== 'replaceOnChanges'),
    }));
    return { ...scenario, rounds };
  },
};

/** What no scenario says, because the simulated network and clock decide it. */
export const neverReplayed =
  'stalled and repeated requests, steps of the clock, and cuts between two requests of a run';

/** The scenario that real time allows, and what of it was changed. */
export function toReal(scenario: Scenario, door: DoorName): { real: Scenario; changed: readonly string[] } {
  let real = scenario;
  const changed: string[] = [];
  for (const [what, change] of Object.entries(changes)) {
    const next = change(real, door);
    if (!isEqual(next, real)) changed.push(what);
    real = next;
  }
  // Long enough for what dead processes have sent.
  return { real: { ...real, longestDelayMs: 200 }, changed };
}

/** @param longest the most that a property of this name may be, wherever it is */
function shorten(longest: Readonly<Record<string, number>>): Change {
  return (scenario) =>
    cloneDeepWith(scenario, (value: unknown, name) => {
      const most = longest[String(name)];
      return most !== undefined && typeof value === 'number' ? Math.min(value, most) : undefined;
    });
}
