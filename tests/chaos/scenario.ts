import fc from 'fast-check';
import type { EmulatorOptions, Fault } from 'postgres-control-emulator';
import {
  type ForeignEndpoint,
  type ForeignOperation,
  foreignEndpoint,
  foreignOperation,
} from './foreign-objects';
import { fault, type Interruption, interruption, isEndless, lateRead } from './mishap';
import {
  allowedPlan,
  editPlan,
  type SlotPlan,
  type SlotTraits,
  slotCount,
  slotEdit,
  slotPlan,
  slotTraits,
} from './slot-plan';

// A scenario is data drawn from a seed: what a program declares in each round, and which faults occur.

/** A replacement that no change of an argument causes. */
export interface Forced {
  readonly slot: number;
  readonly how: '--replace' | 'taint';
  /** Another slot that is replaced because this one is. */
  readonly follower?: { readonly slot: number; readonly how: 'replaceWith' | 'deletedWith' };
}

export interface Round {
  readonly slots: readonly SlotPlan[];
  readonly forced: readonly Forced[];
  readonly faults: readonly Fault[];
  readonly interruption: Interruption;
  readonly foreignEndpoints: readonly ForeignEndpoint[];
  readonly foreignOperations: readonly ForeignOperation[];
  /** Late reads during the repairing run. */
  readonly lateReads: readonly Fault[];
  /** Whether clients connect before the run, which wakes computes that are idle. */
  readonly isAwake: boolean;
  /** Whether the user runs `pulumi refresh` before the next `up`. */
  readonly refreshesBetween: boolean;
  /** The arguments of the previews before and after the round. */
  readonly previews: readonly [readonly string[], readonly string[]];
}

export interface Scenario {
  readonly service: EmulatorOptions;
  /** The `timeouts` of each slot, in seconds: longer than any operation, but short enough to end a run that hangs. */
  readonly timeoutSeconds: number;
  readonly traits: readonly SlotTraits[];
  readonly rounds: readonly Round[];
}

const slotIndex = fc.nat(slotCount - 1);
const seldom = fc.nat(3).map((roll) => roll === 0);
const perSlot = { minLength: slotCount, maxLength: slotCount };

const forced: fc.Arbitrary<Forced> = fc.record(
  {
    slot: slotIndex,
    how: fc.constantFrom('--replace', 'taint'),
    follower: fc.record({ slot: slotIndex, how: fc.constantFrom('replaceWith', 'deletedWith') }),
  },
  { requiredKeys: ['slot', 'how'] },
);

/** `always`: the service's reads lag throughout. `at times`: some reads lag. */
const lateness = fc.constantFrom('never', 'never', 'at times', 'always');

const drawnRound = fc.record({
  fresh: fc.array(slotPlan, perSlot),
  edits: fc.array(slotEdit, perSlot),
  forced: fc.uniqueArray(forced, { maxLength: 2, selector: ({ slot }) => slot }),
  isQuiet: fc.nat(4).map((roll) => roll === 0),
  faults: fc.array(fault, { minLength: 1, maxLength: 6 }),
  lateFaults: fc.array(lateRead, { minLength: 1, maxLength: 3 }),
  lateReads: fc.array(lateRead, { maxLength: 2 }),
  interruption,
  foreignEndpoints: fc.array(foreignEndpoint, { maxLength: 2 }),
  foreignOperations: fc.array(foreignOperation, { maxLength: 3 }),
  isAwake: fc.nat(3).map((roll) => roll > 0),
  refreshesBetween: seldom,
  previews: fc.tuple(
    fc.constantFrom([], ['--diff'], ['--json']),
    fc.constantFrom([], ['--diff'], ['--json']),
  ),
});

type DrawnRound = typeof drawnRound extends fc.Arbitrary<infer Value> ? Value : never;

const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    lateness,
    lateMs: fc.constantFrom(500, 1_500, 3_000),
    lateCalls: fc.constantFrom<readonly ('lateListsMs' | 'lateGetsMs')[]>(
      ['lateListsMs'],
      ['lateGetsMs'],
      ['lateListsMs', 'lateGetsMs'],
    ),
    normalizeSettings: seldom,
    locks: fc.constantFrom('project', 'project', 'project', 'endpoint', 'none'),
    traits: fc.array(slotTraits, perSlot),
    drawn: fc.array(drawnRound, { minLength: 2, maxLength: 3 }),
  })
  .map(({ lateness: late, lateMs, lateCalls, normalizeSettings, locks, traits, drawn }) => ({
    service: {
      operationMs: 150,
      normalizeSettings,
      locks,
      ...(late === 'always' && Object.fromEntries(lateCalls.map((call) => [call, lateMs]))),
    },
    timeoutSeconds: late === 'never' ? 8 : 20,
    traits,
    rounds: toRounds(drawn, traits, late),
  }));

/** The scenario of a seed: the same one each time. */
export function scenarioOf(seed: number): Scenario {
  const [drawn] = fc.sample(scenario, { seed, numRuns: 1 });
  if (!drawn) throw new Error(`nothing was drawn from the seed ${seed}`);
  return drawn;
}

function toRounds(drawn: readonly DrawnRound[], traits: readonly SlotTraits[], late: string): Round[] {
  const rounds: Round[] = [];
  for (const [index, draw] of drawn.entries()) {
    const before = rounds.at(-1)?.slots;
    const slots = traits.map((trait, slot) => {
      const fresh = draw.fresh[slot];
      if (!fresh) throw new Error(`no plan was drawn for slot ${slot}`);
      return allowedPlan(editPlan(before?.[slot], fresh, draw.edits[slot]), trait);
    });
    const isLast = index === drawn.length - 1;
    const { fresh: _fresh, edits: _edits, isQuiet, lateFaults, ...rest } = draw;
    rounds.push({
      ...rest,
      slots,
      forced: draw.forced.flatMap((force) => allowedForce(force, rounds, slots, isLast) ?? []),
      faults: isQuiet ? [] : allowedFaults(draw, late),
      interruption: isQuiet ? { kind: 'none', after: 'start', delayMs: 0 } : draw.interruption,
      lateReads: late === 'at times' ? draw.lateReads : [],
      refreshesBetween: draw.refreshesBetween && !wouldReadUnknownSecrets(draw, traits, before, slots),
    });
  }
  return rounds;
}

/**
 * A refresh knows only the state. If the run was killed after the service had stored a secret, the state does not mark
 * the value as a secret, so the refresh would store it in plain text.
 */
function wouldReadUnknownSecrets(
  { interruption: cut }: DrawnRound,
  traits: readonly SlotTraits[],
  before: readonly SlotPlan[] | undefined,
  slots: readonly SlotPlan[],
): boolean {
  if (!cut.kind.startsWith('kill')) return false;
  return slots.some((now, slot) => {
    const [old, trait] = [before?.[slot], traits[slot]];
    if (!old?.isDeclared || !trait) return false;
    const hasNewSettings = old.workMem !== now.workMem || old.application !== now.application;
    const hasNewName = old.name !== now.name;
    return (trait.isNameSecret && hasNewName) || (trait.secretSettings !== 'no' && hasNewSettings);
  });
}

function allowedFaults(
  { faults, lateFaults, interruption: cut }: DrawnRound,
  late: string,
): readonly Fault[] {
  if (late === 'never') return faults;
  // Where reads are late, time-outs are long, so only a kill ends a hanging run in time.
  const patient = cut.kind.startsWith('kill') ? faults : faults.filter((drawn) => !isEndless(drawn));
  return late === 'always' ? patient : [...lateFaults, ...patient];
}

/** Drops what is impossible: only a slot that is in state and stays declared can be replaced by force. */
function allowedForce(
  { follower, ...force }: Forced,
  earlier: readonly Round[],
  slots: readonly SlotPlan[],
  isLast: boolean,
): Forced | undefined {
  const before = earlier.at(-1)?.slots;
  const stays = (slot: number) => before?.[slot]?.isDeclared && slots[slot]?.isDeclared;
  if (!stays(force.slot)) return undefined;
  // The program can refer only to resources that it declares earlier.
  if (!follower || follower.slot <= force.slot || !stays(follower.slot)) return force;
  if (follower.how === 'replaceWith') return { ...force, follower };
  const plans = [...earlier.map((round) => round.slots), slots].map((all) => all[follower.slot]);
  const [old, now] = plans.slice(-2);
  // With `deletedWith` the engine skips the delete, so the create must find the same endpoint by its unchanged name.
  const isSame = old?.project === now?.project && old?.type === now?.type;
  const isHarmless = isLast && isSame && plans.every((plan) => !plan?.name && !plan?.createsBeforeDelete);
  return isHarmless ? { ...force, follower } : force;
}
