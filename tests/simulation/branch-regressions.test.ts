import { describe, expect, it } from 'vitest';
import { noMishap } from './engine/simulated-run';
import { Simulator } from './run/simulate';
import type { BranchPlan } from './scenario/branch-plan';
import { uneventful } from './scenario/draw-rounds';
import { drawScenario } from './scenario/draw-scenario';
import type { Disturbance } from './scenario/other-people';
import { plainSlot } from './scenario/plain-slot';
import type { Round, Scenario } from './scenario/scenario';

// Schedules of branches, as data.

const slot = { ...plainSlot, isDeclared: false };

const branch: BranchPlan = {
  isDeclared: true,
  hasEndpoint: false,
  project: 0,
  parent: undefined,
  lsn: undefined,
  name: undefined,
  isProtected: undefined,
  allowsDataLoss: true,
};

/** The rules that each round broke. By default, a round declares one Branch, and nothing goes wrong in it. */
async function brokenRules(
  service: Scenario['service'],
  rounds: readonly Partial<Round>[],
  timeoutSeconds = 600,
): Promise<string[]> {
  const scenario: Scenario = {
    ...drawScenario(1).value,
    service,
    requestsPerMinute: undefined,
    longestPage: undefined,
    longestDelayMs: 1,
    timeoutSeconds,
    areDependent: false,
    rounds: rounds.map((round) => ({ ...uneventful, slots: [slot], branches: [branch], ...round })),
  };
  const simulator = new Simulator();
  simulator.install();
  try {
    const { violations } = await simulator.run(scenario);
    return violations.map(({ rule }) => rule);
  } finally {
    simulator.uninstall();
  }
}

const others = (what: Disturbance['what'], at: number): Disturbance => ({
  at,
  what,
  slot: 0,
  type: 'read_only',
  name: 'a',
  status: 'finished',
  forMs: 1_000,
});
const failedCreation = {
  match: { action: 'create_branch' },
  times: 1,
  effect: { kind: 'operation-fails', status: 'failed' },
} as const;
const endlessCreation = { ...failedCreation, effect: { kind: 'operation-hangs' } } as const;
const kill = (at: number) => ({ ...noMishap, kind: 'kill of CLI and host', counts: 'writes', at }) as const;
const named = { ...branch, name: 'a' } as const;

describe('a branch', () => {
  it.each([1, 2, 3, 4])('is created once, whichever write a kill follows: %d', async (at) => {
    for (const each of [branch, named])
      expect(await brokenRules({ operationMs: 100 }, [{ branches: [each], mishap: kill(at) }])).toEqual([]);
  });

  it('is replaced by the next run after its creation has failed', async () => {
    expect(await brokenRules({ operationMs: 100 }, [{ faults: [failedCreation] }])).toEqual([]);
  });

  it('is replaced with its endpoint, also when that is cut off', async () => {
    const onBranch = { ...branch, hasEndpoint: true };
    const declared = { slots: [plainSlot], branches: [onBranch] };
    const moved = { ...declared, branches: [{ ...onBranch, parent: 'a' as const }] };
    for (const at of [1, 2, 3, 4, 5, 6, 7, 8])
      expect(await brokenRules({ operationMs: 100 }, [declared, { ...moved, mishap: kill(at) }])).toEqual([]);
  });

  it('is renamed and unprotected in place, also when that is cut off', async () => {
    const first = { branches: [{ ...named, isProtected: true }] };
    const second = { branches: [{ ...branch, name: 'b' as const }] };
    for (const at of [1, 2, 3])
      expect(await brokenRules({ operationMs: 100 }, [first, { ...second, mishap: kill(at) }])).toEqual([]);
  });

  it('gives up its unfinished name also when a refresh comes between', async () => {
    const round = { faults: [endlessCreation], refreshesBetween: true };
    expect(await brokenRules({ operationMs: 100 }, [round], 60)).toEqual([]);
  });

  it('breaks no rule when another client has a branch of the declared name', async () => {
    for (const at of [1, 2, 3, 4, 5, 6, 7, 8])
      expect(
        await brokenRules({ operationMs: 100, lateListsMs: 500 }, [
          { branches: [named], disturbances: [others('create a branch', at)] },
        ]),
      ).toEqual([]);
  });

  it('of a killed create is found after the refusal of its name', async () => {
    const round = { mishap: kill(2), isRepeated: true };
    expect(await brokenRules({ lateListsMs: 4_000 }, [round])).toEqual([]);
  });
});
