import fc from 'fast-check';
import { noMishap } from '../engine/simulated-run';
import {
  failingRestart,
  faultOfChange,
  heldUpChange,
  refusedChange,
  refusedRestart,
  refusedStart,
} from './change-faults';
import {
  brokenChange,
  brokenCreate,
  brokenRepair,
  brokenRestart,
  type DrawnRound,
  drawnRound,
  leftRound,
  mishapOf,
  noEdit,
  programs,
  quickMishapKind,
  quietRound,
  seldom,
  slotIndex,
  uneventful,
} from './draw-rounds';

// Rounds that follow one another.

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
 * A stop whose suspension fails, perhaps with a change of size or a move in the same program, and sometimes after another that failed.
 * The user repeats it or, more often, reverts the stop alone or everything, perhaps with another change of size.
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

/** A run is killed after it has changed settings, the service refuses the next one, and the user reverts the change. */
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

/** A change of a replica fails, and the user replaces the replica instead, perhaps without the settings. That may fail as well. */
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
export const drawnRounds: fc.Arbitrary<readonly DrawnRound[]> = fc.oneof(
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
