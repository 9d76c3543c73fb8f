import fc from 'fast-check';
import { compact, pick } from 'lodash';
import {
  branchDraw,
  branchPlanOf,
  isOnBranch,
  placeOnBranch,
  toBranchDisturbance,
  toBranchFault,
} from './branch-plan';
import { drawnRounds } from './draw-round-series';
import { mostSlots } from './draw-rounds';
import { Drawing, type Drawn } from './drawing';
import { isEndless } from './faults';
import type { Round, Scenario } from './scenario';
import { allowedPlan, editPlan, slotTraits } from './slot-plan';

const drawnScenario = fc.record({
  seed: fc.nat(2 ** 31 - 1),
  slotCount: fc.oneof(
    { weight: 16, arbitrary: fc.constant(1) },
    { weight: 3, arbitrary: fc.constant(2) },
    { weight: 1, arbitrary: fc.constantFrom(3, 4) },
  ),
  operationMs: fc.constantFrom(0, 0, 0, 0, 100, 100, 100, 100, 400, 1_500),
  schedulingMs: fc.constantFrom(0, 0, 0, 200),
  locks: fc.constantFrom<'project' | 'endpoint' | 'none'>(
    'project',
    'project',
    'project',
    'endpoint',
    'none',
  ),
  lateness: fc.constantFrom('never', 'never', 'never', 'at times', 'at times', 'always'),
  lateMs: fc.constantFrom(500, 1_500, 4_000),
  lateCalls: fc.constantFrom<readonly ('lateListsMs' | 'lateGetsMs')[]>(
    ['lateListsMs'],
    ['lateGetsMs'],
    ['lateListsMs', 'lateGetsMs'],
  ),
  requestsPerMinute: fc.constantFrom(undefined, undefined, undefined, undefined, 60, 30),
  longestPage: fc.constantFrom(undefined, undefined, undefined, undefined, 5, 2),
  longestDelayMs: fc.constantFrom(20, 20, 20, 200, 1_500),
  timeoutSeconds: fc.constantFrom(600, 600, 60),
  traits: fc.array(slotTraits, { minLength: mostSlots, maxLength: mostSlots }),
  secondStackFrom: fc.constantFrom(1, 2, mostSlots, mostSlots, mostSlots),
  areDependent: fc.boolean(),
  drawn: drawnRounds,
  branch: branchDraw(mostSlots),
});

type DrawnScenario = Drawn<typeof drawnScenario>;

function toScenario(draw: DrawnScenario): Scenario {
  const late =
    draw.lateness === 'always' && Object.fromEntries(draw.lateCalls.map((call) => [call, draw.lateMs]));
  return {
    ...pick(draw, 'seed', 'requestsPerMinute', 'longestPage', 'longestDelayMs', 'traits', 'secondStackFrom'),
    service: {
      ...pick(draw, 'operationMs', 'schedulingMs', 'locks'),
      // Several processes share the account's limit, and each knows only of its own requests.
      requestsPerMinute: 2 * (draw.requestsPerMinute ?? 0),
      ...late,
    },
    timeoutSeconds: longEnough(draw),
    areDependent: draw.areDependent && draw.branch.use === 'none',
    rounds: toRounds(draw),
  };
}

/**
 * Where requests are slow or few, or reads show the end of an operation much later, a short time-out would pass without any
 * fault. What hangs should not take long.
 */
function longEnough({
  requestsPerMinute,
  longestDelayMs,
  operationMs,
  lateness,
  lateMs,
  timeoutSeconds,
  drawn,
}: DrawnScenario): number {
  const hasEndless = drawn.some(({ faults }) => faults.some(isEndless));
  const isLate = lateness === 'always' && lateMs > 2_000;
  if (requestsPerMinute) return 600;
  if (longestDelayMs > 200 || operationMs > 1_000 || isLate) return hasEndless ? 200 : 600;
  return hasEndless ? 60 : timeoutSeconds;
}

function toRounds({ drawn, slotCount, lateness, branch, traits }: DrawnScenario): Round[] {
  const rounds: Round[] = [];
  const isFor = (number: number) => isOnBranch(branch, number);
  const toSlot = <Event extends { readonly slot: number }>(event: Event): Event => ({
    ...event,
    slot: event.slot % slotCount,
  });
  for (const { fresh, edits, takesBack, lateFaults, faults, ...rest } of drawn) {
    const before = rounds.at(-1)?.slots;
    const earlier = takesBack ? rounds.at(-2) : undefined;
    const branches =
      earlier?.branches ??
      compact(
        traits
          .slice(0, slotCount)
          .map((_, slot) => branchPlanOf(branch, slot, rounds.at(-1)?.branches[slot], rounds.length)),
      );
    const changed = fresh.slice(0, slotCount).map((plan, slot) => {
      const trait = traits[slot];
      if (!trait) throw new Error(`slot ${slot} has no traits`);
      // Without an endpoint, nothing could go wrong.
      const first = slot === 0 && !before ? { ...plan, isDeclared: true } : plan;
      return allowedPlan(editPlan(before?.[slot], first, edits[slot]), trait);
    });
    const slots = earlier?.slots ?? changed.map((plan, slot) => placeOnBranch(plan, branches[slot]));
    const allFaults = lateness === 'at times' ? [...lateFaults, ...faults] : faults;
    rounds.push({
      ...rest,
      slots,
      branches,
      // A Branch is replaced with its endpoint only if the state of that has the permission, by a run of its own.
      isGuarded: rest.isGuarded && branch.use !== 'with endpoint',
      faults: allFaults.map((fault, number) => (isFor(number) ? toBranchFault(fault) : fault)),
      lateReads: (lateness === 'at times' ? rest.lateReads : []).map((fault, number) =>
        isFor(number + 6) ? toBranchFault(fault) : fault,
      ),
      disturbances: rest.disturbances
        .map(toSlot)
        .map((each, number) => (isFor(number + 7) ? toBranchDisturbance(each) : each)),
      // A replacement needs an endpoint in state.
      forced: rest.forced
        .map((force) => ({ ...toSlot(force), isBranch: isFor(9) }))
        .filter(({ slot, isBranch, how }) => {
          if (isBranch && how === 'replaceOnChanges') return false;
          const [was, is] = isBranch ? [rounds.at(-1)?.branches, branches] : [before, slots];
          return was?.[slot]?.isDeclared && is[slot]?.isDeclared;
        }),
    });
  }
  return rounds;
}

export const scenarioDrawing = new Drawing<Scenario>(drawnScenario.map(toScenario));

/** The scenario of a seed: the same one each time. */
export function drawScenario(seed: number) {
  return scenarioDrawing.draw(seed);
}
