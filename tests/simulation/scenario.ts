import fc from 'fast-check';
import { compact } from 'lodash';
import type { EmulatorOptions, Fault } from 'postgres-control-emulator';
import {
  type BranchDraw,
  type BranchPlan,
  branchDraw,
  branchPlanOf,
  isOnBranch,
  placeOnBranch,
  toBranchDisturbance,
  toBranchFault,
} from './branch-plan';
import { isEndless, lateRead } from './faults';
import {
  failingRestart,
  faultOfChange,
  faultOfCreate,
  heldUpChange,
  refusedChange,
  refusedRestart,
  refusedStart,
  simulatedFault,
} from './long-faults';
import { type Disturbance, disturbance } from './other-people';
import { type Mishap, noMishap } from './simulated-run';
import {
  allowedPlan,
  editPlan,
  type SlotPlan,
  type SlotTraits,
  slotEdit,
  slotPlan,
  slotTraits,
} from './slot-plan';

// A scenario is data drawn from a seed: what the programs declare in each round, and what goes wrong.

export interface Round {
  /** Whether it only prepares the next round: nothing goes wrong, and the checks at rest are left out. */
  readonly isQuiet: boolean;
  /**
   * Whether the user edits the programs again, instead of repairing, after a run that failed or did not wait and, if it was cut off,
   * was repeated, and that has left the same endpoints in the states as at the service.
   */
  readonly isLeft: boolean;
  /** What each slot of the programs declares. */
  readonly slots: readonly SlotPlan[];
  /** The Branch of each slot; empty in a schedule without branches. */
  readonly branches: readonly BranchPlan[];
  readonly command: 'up' | 'up --refresh' | 'refresh' | 'destroy' | 'destroy --refresh';
  readonly forced: readonly {
    readonly slot: number;
    readonly how: '--replace' | 'taint' | 'replaceOnChanges';
    /** Whether it replaces the slot's Branch. */
    readonly isBranch?: boolean;
  }[];
  readonly faults: readonly Fault[];
  readonly mishap: Mishap;
  /** Whether the user starts a second run of the stack beside the first. */
  readonly isRunTwice: boolean;
  /** How long nothing happens before the round: the service suspends computes that are idle. Milliseconds. */
  readonly idleMs: number;
  /** Whether a run that failed is repeated at once, under the faults that are left. */
  readonly isRepeated: boolean;
  /** Whether the programs say `allowRestart: false` until the user recovers. */
  readonly isGuarded: boolean;
  /** What other people do meanwhile. */
  readonly disturbances: readonly Disturbance[];
  /** Late reads during the repairing run. */
  readonly lateReads: readonly Fault[];
  readonly refreshesBetween: boolean;
  readonly isPreviewed: boolean;
  /** Whether the round ends with a refresh that must find nothing. */
  readonly refreshesAfter: boolean;
}

export interface Scenario {
  /** Decides what the data leave open: delays, ids and jitter. */
  readonly seed: number;
  readonly service: EmulatorOptions;
  /** The setting `requestsPerMinute`; undefined: the default. */
  readonly requestsPerMinute: number | undefined;
  /** The longest page of operations that the service returns; undefined: as long as a client asks for. */
  readonly longestPage: number | undefined;
  readonly longestDelayMs: number;
  readonly timeoutSeconds: number;
  readonly traits: readonly SlotTraits[];
  /** The slots from this one on belong to a second stack. */
  readonly secondStackFrom: number;
  /** Whether the other resources of the first stack depend on its first one. */
  readonly areDependent: boolean;
  readonly rounds: readonly Round[];
}

/** Whether the round's command deletes everything. */
export function isDestroy({ command }: Pick<Round, 'command'>): boolean {
  return command === 'destroy' || command === 'destroy --refresh';
}

export const mostSlots = 4;

const seldom = fc.nat(5).map((roll) => roll === 0);
const rarely = fc.nat(15).map((roll) => roll === 0);
const slotIndex = fc.nat(mostSlots - 1);

const mishapKind = fc.constantFrom<Mishap['kind']>(
  'none',
  'none',
  'kill of CLI and host',
  'kill of CLI and host',
  'kill of the CLI',
  'kill of the CLI',
  'kill of the host',
  'Ctrl-C',
);
/** After these the user goes on at once. */
const quickMishapKind = fc.constantFrom<Mishap['kind']>(
  'none',
  'kill of CLI and host',
  'kill of the host',
  'kill of the host',
  'Ctrl-C',
);

const mishap: fc.Arbitrary<Mishap> = fc.oneof(mishapOf('events', [25, 100]), mishapOf('writes', [3, 10]));

function mishapOf(
  counts: Mishap['counts'],
  [few, many]: readonly [number, number],
  kind = mishapKind,
): fc.Arbitrary<Mishap> {
  return fc.record({
    counts: fc.constant(counts),
    kind,
    at: fc.oneof(fc.integer({ min: 1, max: few }), fc.integer({ min: 1, max: many })),
    // The real one looks every 500 ms whether its CLI has ended. A busy process takes longer.
    lingerMs: fc.constantFrom(0, 30, 500, 1_000, 2_000),
  });
}

const programs = {
  fresh: fc.array(slotPlan, { minLength: mostSlots, maxLength: mostSlots }),
  edits: fc.array(slotEdit, { minLength: mostSlots, maxLength: mostSlots }),
  /** Whether the programs go back to what they declared before the last change. */
  takesBack: fc.boolean(),
};

const forced = fc.array(
  fc.record({ slot: slotIndex, how: fc.constantFrom('--replace', 'taint', 'replaceOnChanges') }),
  { maxLength: 1 },
);

const drawnRound = fc.record({
  ...programs,
  isQuiet: fc.constant<boolean>(false),
  isLeft: fc.constant<boolean>(false),
  command: fc.constantFrom<Round['command']>(
    'up',
    'up',
    'up',
    'up',
    'up',
    'up',
    'up --refresh',
    'up --refresh',
    'refresh',
    'destroy',
    'destroy --refresh',
  ),
  forced,
  faults: fc.array(simulatedFault, { maxLength: 3 }),
  lateFaults: fc.array(lateRead, { maxLength: 2 }),
  mishap,
  isRunTwice: rarely,
  idleMs: fc.constantFrom<number>(0, 0, 0, 400_000),
  isRepeated: seldom,
  isGuarded: rarely,
  disturbances: fc.array(disturbance, { maxLength: 2 }),
  lateReads: fc.array(lateRead, { maxLength: 1 }),
  refreshesBetween: seldom,
  isPreviewed: seldom,
  refreshesAfter: seldom,
});

type DrawnRound = Drawn<typeof drawnRound>;

/** A round in which nothing goes wrong. */
export const uneventful: Omit<DrawnRound, 'fresh' | 'edits' | 'takesBack'> & Pick<Round, 'branches'> = {
  branches: [],
  isQuiet: false,
  isLeft: false,
  command: 'up',
  forced: [],
  faults: [],
  lateFaults: [],
  mishap: noMishap,
  isRunTwice: false,
  idleMs: 0,
  isRepeated: false,
  isGuarded: false,
  disturbances: [],
  lateReads: [],
  refreshesBetween: false,
  isPreviewed: false,
  refreshesAfter: false,
};

const quietRound: fc.Arbitrary<DrawnRound> = fc
  .record(programs)
  .map((drawn) => ({ ...uneventful, ...drawn, isQuiet: true }));

const leftRound: fc.Arbitrary<DrawnRound> = fc
  .record({
    ...programs,
    faults: fc.array(fc.oneof(simulatedFault, faultOfChange), { minLength: 1, maxLength: 2 }),
    isGuarded: seldom,
  })
  .map((drawn) => ({ ...uneventful, ...drawn, isLeft: true }));

/** A create of a replica, of which a branch can have several, that fails or is cut off on its way. */
const brokenCreate: fc.Arbitrary<DrawnRound> = fc
  .record({
    ...programs,
    faults: fc.array(faultOfCreate, { minLength: 1, maxLength: 2 }),
    lateFaults: fc.array(lateRead, { maxLength: 2 }),
    mishap: mishapOf('writes', [2, 6], quickMishapKind),
    isRunTwice: seldom,
    isRepeated: fc.boolean(),
    lateReads: fc.array(lateRead, { maxLength: 1 }),
  })
  .map(({ fresh, ...drawn }) => ({
    ...uneventful,
    ...drawn,
    fresh: fresh.map((plan) => ({ ...plan, type: 'read_only' })),
  }));

const brokenChange = fc.record({
  ...programs,
  faults: fc.array(faultOfChange, { minLength: 1, maxLength: 2 }),
  mishap: mishapOf('writes', [3, 6], quickMishapKind),
  isRepeated: fc.boolean(),
  refreshesBetween: fc.boolean(),
});

const noEdit = {
  isDeclared: false,
  size: false,
  settings: false,
  trigger: false,
  name: false,
  branch: false,
  replacement: false,
  options: false,
  stop: undefined,
};

/** A restart that fails or is cut off on its way: for a trigger alone, or for other changes too. */
const brokenRestart: fc.Arbitrary<DrawnRound> = fc
  .record({ broken: brokenChange, isAlone: fc.boolean() })
  .map(({ broken: { edits, ...broken }, isAlone }) => ({
    ...uneventful,
    ...broken,
    takesBack: false,
    edits: edits.map((edit) => ({
      ...(isAlone ? noEdit : edit),
      isDeclared: false,
      replacement: false,
      trigger: true,
    })),
  }));

/** The user repeats what has failed, takes it back or replaces it, and that goes wrong, too. */
const brokenRepair: fc.Arbitrary<DrawnRound> = fc
  .record({ broken: brokenChange, forced, lateReads: fc.array(lateRead, { maxLength: 2 }) })
  .map(({ broken, ...drawn }) => ({
    ...uneventful,
    ...broken,
    ...drawn,
    edits: broken.edits.map(() => noEdit),
  }));

/**
 * A restart fails, perhaps after its run, which has not waited. The user repeats it, or sometimes takes it back, and it fails again, is
 * refused or is cut off.
 */
const failedRestarts: fc.Arbitrary<readonly DrawnRound[]> = fc
  .record({
    quiet: quietRound,
    isWaiting: fc.boolean(),
    ...programs,
    faults: fc.array(failingRestart, { minLength: 1, maxLength: 2 }),
    refusals: fc.array(refusedRestart, { maxLength: 1 }),
    repair: fc.record({
      ...programs,
      takesBack: seldom,
      mishap: fc.oneof(fc.constant(noMishap), mishapOf('writes', [2, 4], quickMishapKind)),
      // What the run did not wait for has ended by then.
      idleMs: fc.constantFrom(0, 2_000),
      isRepeated: fc.boolean(),
      refreshesBetween: seldom,
    }),
  })
  .map(({ quiet, isWaiting, faults, refusals, repair, ...drawn }) => [
    { ...quiet, fresh: quiet.fresh.map((plan) => ({ ...plan, isWaiting })) },
    {
      ...uneventful,
      ...drawn,
      // A change of size restarts the compute in one request, so only a trigger can have a start without its suspension.
      edits: drawn.edits.map(({ trigger, ...edit }) => ({
        ...edit,
        isDeclared: false,
        replacement: false,
        trigger: trigger || !isWaiting,
        size: isWaiting && !trigger,
      })),
      faults,
      isLeft: true,
    },
    {
      ...uneventful,
      ...repair,
      faults: refusals.length > 0 ? (isWaiting ? refusals : [refusedStart]) : faults,
      edits: repair.edits.map(() => noEdit),
    },
  ]);

/**
 * A stop whose suspension fails, perhaps with a change of size or a move in the same program, and sometimes after one that failed, too.
 * The user repeats it or, more often, takes back the stop alone or everything, perhaps with another change of size.
 */
const failedStops: fc.Arbitrary<readonly DrawnRound[]> = fc
  .record({
    quiet: quietRound,
    failedBefore: fc.option(leftRound, { freq: 2 }),
    left: leftRound,
    broken: brokenChange,
    faults: fc.array(failingRestart, { minLength: 1, maxLength: 2 }),
    startsAgain: fc.boolean(),
  })
  .map(({ quiet, failedBefore, left, broken, faults, startsAgain }) => {
    const failing = { takesBack: false, faults };
    const toSizeOrMove = ({ branch }: { branch: boolean }) => ({ ...noEdit, size: !branch, branch });
    return [
      quiet,
      ...(failedBefore ? [{ ...failedBefore, ...failing, edits: failedBefore.edits.map(toSizeOrMove) }] : []),
      {
        ...left,
        ...failing,
        edits: left.edits.map((edit) => ({ ...noEdit, size: edit.size, branch: edit.branch, stop: true })),
      },
      {
        ...uneventful,
        ...broken,
        takesBack: broken.takesBack && !startsAgain,
        edits: broken.edits.map((edit) =>
          startsAgain ? { ...noEdit, size: edit.size, stop: false } : noEdit,
        ),
      },
    ];
  });

/** A run is killed after it has changed settings, the service refuses the next one, and the user takes the change back. */
const takenBackAfterKill: fc.Arbitrary<readonly DrawnRound[]> = fc
  .record({
    quiet: quietRound,
    ...programs,
    mishap: mishapOf('writes', [2, 2], fc.constantFrom('kill of CLI and host', 'kill of the host')),
    repair: fc.record(programs),
  })
  .map(({ quiet, repair, ...drawn }) => [
    // A refused run reads the endpoint only if something is unfinished.
    { ...quiet, fresh: quiet.fresh.map((plan) => ({ ...plan, isWaiting: false })) },
    {
      ...uneventful,
      ...drawn,
      takesBack: false,
      edits: drawn.edits.map(() => ({ ...noEdit, settings: true })),
      faults: [heldUpChange, refusedChange],
      isRepeated: true,
      isLeft: true,
    },
    { ...uneventful, ...repair, takesBack: true },
  ]);

/** A change of a replica fails, and the user replaces the replica instead, perhaps without the settings. That may fail, too. */
const replacedInstead: fc.Arbitrary<readonly DrawnRound[]> = fc
  .record({
    quiet: quietRound,
    left: leftRound,
    ...programs,
    slot: slotIndex,
    faults: fc.array(faultOfChange, { maxLength: 1 }),
    isRepeated: fc.boolean(),
  })
  .map(({ quiet, left, slot, ...drawn }) => [
    { ...quiet, fresh: quiet.fresh.map((plan) => ({ ...plan, type: 'read_only', name: undefined })) },
    left,
    {
      ...uneventful,
      ...drawn,
      edits: drawn.edits.map(({ settings }) => ({ ...noEdit, settings })),
      forced: [{ slot, how: '--replace' }],
    },
  ]);

/** Many known faults are in changes, which need an endpoint in state. A quiet round creates it at the least cost. */
const drawnRounds: fc.Arbitrary<readonly DrawnRound[]> = fc.oneof(
  { withCrossShrink: true },
  { weight: 13, arbitrary: fc.tuple(drawnRound) },
  { weight: 4, arbitrary: fc.tuple(quietRound, drawnRound) },
  { weight: 1, arbitrary: fc.tuple(drawnRound, drawnRound) },
  { weight: 1, arbitrary: fc.tuple(brokenCreate) },
  { weight: 2, arbitrary: fc.tuple(quietRound, brokenRestart) },
  { weight: 1, arbitrary: fc.tuple(quietRound, leftRound, drawnRound) },
  { weight: 1, arbitrary: fc.tuple(quietRound, leftRound, brokenRepair) },
  { weight: 2, arbitrary: failedRestarts },
  { weight: 1, arbitrary: failedStops },
  { weight: 1, arbitrary: takenBackAfterKill },
  { weight: 2, arbitrary: replacedInstead },
);

type Drawn<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;

export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
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
    normalizeSettings: seldom,
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
  })
  .map(toScenario);

interface DrawnScenario {
  readonly slotCount: number;
  readonly lateness: string;
  readonly lateCalls: readonly ('lateListsMs' | 'lateGetsMs')[];
  readonly lateMs: number;
  readonly drawn: readonly DrawnRound[];
  readonly branch: BranchDraw;
}

function toScenario(
  draw: DrawnScenario &
    Pick<
      Scenario,
      | 'seed'
      | 'requestsPerMinute'
      | 'longestPage'
      | 'longestDelayMs'
      | 'timeoutSeconds'
      | 'traits'
      | 'secondStackFrom'
      | 'areDependent'
    > & {
      readonly operationMs: number;
      readonly schedulingMs: number;
      readonly locks: 'project' | 'endpoint' | 'none';
      readonly normalizeSettings: boolean;
    },
): Scenario {
  const { operationMs, schedulingMs, locks, normalizeSettings, requestsPerMinute } = draw;
  const late =
    draw.lateness === 'always' && Object.fromEntries(draw.lateCalls.map((call) => [call, draw.lateMs]));
  return {
    seed: draw.seed,
    // Several processes share the account's limit, and each knows only of its own requests.
    service: {
      operationMs,
      schedulingMs,
      locks,
      normalizeSettings,
      requestsPerMinute: 2 * (requestsPerMinute ?? 0),
      ...late,
    },
    requestsPerMinute,
    longestPage: draw.longestPage,
    longestDelayMs: draw.longestDelayMs,
    timeoutSeconds: longEnough(draw),
    traits: draw.traits,
    secondStackFrom: draw.secondStackFrom,
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
}: Parameters<typeof toScenario>[0]): number {
  const hasEndless = drawn.some(({ faults }) => faults.some(isEndless));
  const isLate = lateness === 'always' && lateMs > 2_000;
  if (requestsPerMinute) return 600;
  if (longestDelayMs > 200 || operationMs > 1_000 || isLate) return hasEndless ? 200 : 600;
  return hasEndless ? 60 : timeoutSeconds;
}

function toRounds({
  drawn,
  slotCount,
  lateness,
  branch,
  ...draw
}: DrawnScenario & Pick<Scenario, 'traits'>): Round[] {
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
        draw.traits
          .slice(0, slotCount)
          .map((_, slot) => branchPlanOf(branch, slot, rounds.at(-1)?.branches[slot], rounds.length)),
      );
    const changed = fresh.slice(0, slotCount).map((plan, slot) => {
      const trait = draw.traits[slot];
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
