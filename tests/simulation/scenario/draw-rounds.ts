import fc from 'fast-check';
import { type Mishap, noMishap } from '../engine/simulated-run';
import { faultOfChange, faultOfCreate } from './change-faults';
import type { Drawn } from './drawing';
import { lateRead } from './faults';
import { simulatedFault } from './long-faults';
import { disturbance } from './other-people';
import type { Round } from './scenario';
import { slotEdit, slotPlan } from './slot-plan';

// Single rounds, as they are drawn.

export const mostSlots = 4;

export const seldom = fc.nat(5).map((roll) => roll === 0);
const rarely = fc.nat(15).map((roll) => roll === 0);
export const slotIndex = fc.nat(mostSlots - 1);

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
/** After these the user continues at once. */
export const quickMishapKind = fc.constantFrom<Mishap['kind']>(
  'none',
  'kill of CLI and host',
  'kill of the host',
  'kill of the host',
  'Ctrl-C',
);

const mishap: fc.Arbitrary<Mishap> = fc.oneof(mishapOf('events', [25, 100]), mishapOf('writes', [3, 10]));

export function mishapOf(
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

export const programs = {
  fresh: fc.array(slotPlan, { minLength: mostSlots, maxLength: mostSlots }),
  edits: fc.array(slotEdit, { minLength: mostSlots, maxLength: mostSlots }),
  /** Whether the programs go back to what they declared before the last change. */
  takesBack: fc.boolean(),
};

export const forced = fc.array(
  fc.record({ slot: slotIndex, how: fc.constantFrom('--replace', 'taint', 'replaceOnChanges') }),
  { maxLength: 1 },
);

export const drawnRound = fc.record({
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

export type DrawnRound = Drawn<typeof drawnRound>;

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

export const quietRound: fc.Arbitrary<DrawnRound> = fc
  .record(programs)
  .map((drawn) => ({ ...uneventful, ...drawn, isQuiet: true }));

export const leftRound: fc.Arbitrary<DrawnRound> = fc
  .record({
    ...programs,
    faults: fc.array(fc.oneof(simulatedFault, faultOfChange), { minLength: 1, maxLength: 2 }),
    isGuarded: seldom,
  })
  .map((drawn) => ({ ...uneventful, ...drawn, isLeft: true }));

/** A create of a replica, of which a branch can have several, that fails or is cut off on its way. */
export const brokenCreate: fc.Arbitrary<DrawnRound> = fc
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

export const brokenChange = fc.record({
  ...programs,
  faults: fc.array(faultOfChange, { minLength: 1, maxLength: 2 }),
  mishap: mishapOf('writes', [3, 6], quickMishapKind),
  isRepeated: fc.boolean(),
  refreshesBetween: fc.boolean(),
  // The service may have suspended the compute before.
  idleMs: fc.constantFrom<number>(0, 0, 0, 400_000),
});

export const noEdit = {
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
export const brokenRestart: fc.Arbitrary<DrawnRound> = fc
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

/** The user repeats, reverts or replaces what failed, and that fails as well. */
export const brokenRepair: fc.Arbitrary<DrawnRound> = fc
  .record({ broken: brokenChange, forced, lateReads: fc.array(lateRead, { maxLength: 2 }) })
  .map(({ broken, ...drawn }) => ({
    ...uneventful,
    ...broken,
    ...drawn,
    edits: broken.edits.map(() => noEdit),
  }));
