import { isEqual } from 'lodash';
import type { Fault } from 'postgres-control-emulator';
import { isEndless } from '../simulation/faults';
import type { Round, Scenario } from '../simulation/scenario';
import type { DoorName } from '../support/program-doors';

// What only virtual time can do, or only the plugin: the one place where chaos changes a scenario of the simulation.

/** How long the user waits for what dead processes have sent. Milliseconds. */
const realDelayMs = 200;
/** How long chaos waits for one thing that only delays. Milliseconds. */
const longest = { pauseMs: 3_000, slowMs: 1_000, lockMs: 4_000, lagMs: 1_500, retryAfterSeconds: 2 };
/** How long an action waits for an operation that never ends. */
const hangingSeconds = 20;

interface Change {
  /** What the scenario had, for the totals. */
  readonly what: string;
  readonly apply: (scenario: Scenario, door: DoorName) => Scenario;
}

const changes: readonly Change[] = [
  {
    what: 'idle times, left out: they take minutes',
    apply: inEachRound((round) => ({ ...round, idleMs: round.idleMs > longest.pauseMs ? 0 : round.idleMs })),
  },
  {
    what: 'limits of requests, left out: they take minutes',
    apply: (scenario) => ({
      ...scenario,
      requestsPerMinute: undefined,
      service: { ...scenario.service, requestsPerMinute: 0 },
    }),
  },
  {
    what: 'slow networks, left out: the network is real',
    apply: (scenario) => ({
      ...scenario,
      longestDelayMs: Math.min(scenario.longestDelayMs, realDelayMs),
    }),
  },
  {
    what: 'time-outs of hanging operations, shortened',
    apply: (scenario) => ({
      ...scenario,
      timeoutSeconds: scenario.rounds.some(({ faults }) => faults.some(isEndless))
        ? hangingSeconds
        : scenario.timeoutSeconds,
    }),
  },
  {
    what: 'delays of responses, 429s, locks and late reads, shortened',
    apply: ({ service, ...scenario }, door) =>
      inEachRound((round) => ({
        ...round,
        faults: round.faults.map(shorten),
        lateReads: round.lateReads.map(shorten),
        disturbances: round.disturbances.map((each) => ({
          ...each,
          forMs: Math.min(each.forMs, longest.lockMs),
        })),
      }))(
        {
          ...scenario,
          service: {
            ...service,
            ...(service.lateListsMs && { lateListsMs: Math.min(service.lateListsMs, longest.lagMs) }),
            ...(service.lateGetsMs && { lateGetsMs: Math.min(service.lateGetsMs, longest.lagMs) }),
          },
        },
        door,
      ),
  },
  {
    what: 'replaceOnChanges, left out: it has no effect on a dynamic resource',
    apply: (scenario, door) =>
      door === 'plugin'
        ? scenario
        : inEachRound((round) => ({
            ...round,
            forced: round.forced.filter(({ how }) => how !== 'replaceOnChanges'),
          }))(scenario, door),
  },
];

/** What no scenario says, because the simulated network and clock decide it. */
export const neverReplayed =
  'stalled and repeated requests, steps of the clock, and cuts between a response and the next request';

/** The scenario that real time allows, and what of it was changed. */
export function toReal(scenario: Scenario, door: DoorName): { real: Scenario; changed: readonly string[] } {
  let real = scenario;
  const changed: string[] = [];
  for (const { what, apply } of changes) {
    const next = apply(real, door);
    if (!isEqual(next, real)) changed.push(what);
    real = next;
  }
  return { real: { ...real, longestDelayMs: realDelayMs }, changed };
}

function inEachRound(change: (round: Round) => Round): Change['apply'] {
  return (scenario) => ({ ...scenario, rounds: scenario.rounds.map(change) });
}

function shorten(fault: Fault): Fault {
  const { effect } = fault;
  const limited = {
    ...effect,
    ...('delayMs' in effect && { delayMs: Math.min(effect.delayMs, longest.slowMs) }),
    ...('lateMs' in effect && { lateMs: Math.min(effect.lateMs, longest.lagMs) }),
    ...('retryAfterSeconds' in effect && {
      retryAfterSeconds: Math.min(effect.retryAfterSeconds ?? 0, longest.retryAfterSeconds),
    }),
  };
  return { ...fault, effect: limited } as Fault;
}
