import { compact, mapValues, sumBy } from 'lodash';
import type { Endpoint } from 'postgres-control-emulator';
import type { Round } from '../scenario/scenario';
import type { SlotPlan } from '../scenario/slot-plan';
import type { RunResult, World } from '../user/world';
import type { Before, LeftRounds } from './baseline';
import { checkReplaced } from './rest-checks';
import { hasLostResponse } from './run-checks';

/** Checks, at rest, how often the computes were taken down, and that they are up again. */
export function checkRestarts(
  world: World,
  round: Round,
  results: readonly RunResult[],
  left: LeftRounds,
): void {
  for (const stack of world.stacks)
    for (const { slot, plan } of world.declared(stack)) {
      // What other people change is changed back, which may need a restart.
      if (round.disturbances.some((disturbance) => disturbance.slot === slot)) continue;
      const endpoint = world.ground
        .own(slot)
        .find(({ id }) => id === stack.find(world.urnOf(stack, slot))?.id);
      if (!endpoint) continue;
      const before = left.baseline.get(slot);
      const plans = [...compact(left.plans.map((each) => each[slot])), plan];
      const same = before?.id === endpoint.id ? before : undefined;
      if (before && !same) checkReplaced(world, round, slot, before, endpoint, plans);
      const runs = [...left.results, ...results];
      const change = sumOfDisruptions([...(same ? [same.plan] : []), ...plans]);
      checkCounts(world, endpoint, same, change, runs);
      const isForced = round.forced.some((force) => force.slot === slot);
      const isRefreshed = isForced || round.refreshesBetween;
      const isReverted = left.plans.length > 0;
      if (same?.isActive && plan.isWaiting)
        checkHappened(world, same, plan, { isForced, isReverted, isRefreshed }, runs);
      // A move leaves the compute idle, and so does a stop that is taken back, or a create of a stopped one.
      const mayBeIdle = plans.some(({ isStopped }) => isStopped) || change.move > 0 || same?.isIdle === true;
      const isKept = isForced && isReverted;
      if (!mayBeIdle) checkUp(world, endpoint, change, { isKept, isRefreshed }, runs);
    }
}

type Change = typeof noDisruptions;

/** Connections drop once for each declared change that requires it. */
function checkCounts(
  { ground, book }: World,
  { id }: Endpoint,
  before: Before | undefined,
  change: Change,
  runs: readonly RunResult[],
): void {
  const restarts = ground.controls.restarts(id) - (before?.restarts ?? 0);
  const drops = ground.controls.connectionDrops(id) - (before?.drops ?? 0);
  const broken = runs.filter(({ isSuccess, run }) => !isSuccess || run.isCutOff).length;
  const declared = change.size + change.trigger + change.move + change.stop;
  let most = declared;
  if (drops > most && broken > 0 && book.excuse('a run broke off')) most += broken;
  // One restart is enough for a change of size and triggers.
  if (broken === 0) most -= change.sizeAndTrigger;
  book.check(
    'restarts are declared',
    restarts <= change.size && drops <= most,
    () => `too many restarts or drops of ${id}: ${restarts} and ${drops}, declared ${JSON.stringify(change)}`,
  );
}

interface Circumstances {
  readonly isForced: boolean;
  /** Whether the user may have taken back what earlier rounds declared. */
  readonly isReverted: boolean;
  readonly isRefreshed: boolean;
}

/** An active compute has lost its connections if that is due. */
function checkHappened(
  { ground, book }: World,
  { id, plan: first, drops }: Before,
  plan: SlotPlan,
  { isForced, isReverted, isRefreshed }: Circumstances,
  runs: readonly RunResult[],
): void {
  const { size, trigger, move, stop } = disruptionsOf(first, plan);
  if (size + move + stop + (isReverted ? 0 : trigger) === 0 || ground.wasAutosuspended(id)) return;
  const isForgotten = isForced || (isRefreshed && runs.some(({ run }) => run.isCutOff));
  const hasHappened = ground.controls.connectionDrops(id) > drops;
  if (!hasHappened && isForgotten && book.excuse('a refresh hid it')) return;
  book.check('a declared restart happens', hasHappened, () => `${id} was never restarted`);
}

/** A compute that no program has stopped or moved is active, unless the service has suspended it. */
function checkUp(
  { ground, book }: World,
  { id, current_state }: Endpoint,
  change: Change,
  { isKept, isRefreshed }: { readonly isKept: boolean; readonly isRefreshed: boolean },
  runs: readonly RunResult[],
): void {
  const isUp = current_state === 'active' || ground.wasAutosuspended(id);
  const isKilled = runs.some(({ run }) => run.isKilled);
  const isLost = change.trigger > 0 && (isKilled || runs.some(hasLostResponse));
  const isHidden = isRefreshed && isKilled;
  if (!isUp && (isLost || isHidden || isKept) && book.excuse('a restart was lost')) return;
  book.check(
    'the compute starts again',
    isUp,
    () => `${id} is ${current_state}, declared ${JSON.stringify(change)}`,
  );
}

const noDisruptions = { size: 0, trigger: 0, sizeAndTrigger: 0, move: 0, stop: 0 };

/** The changes from one plan to the other that disrupt an active compute, each 0 or 1. */
function disruptionsOf(before: SlotPlan, now: SlotPlan): Change {
  const size = before.size.join() === now.size.join() ? 0 : 1;
  const trigger = before.trigger === now.trigger ? 0 : 1;
  return {
    size,
    trigger,
    sizeAndTrigger: size * trigger,
    move: before.branch === now.branch ? 0 : 1,
    stop: !before.isStopped && now.isStopped ? 1 : 0,
  };
}

/** What the changes from one program to the next disrupt in all. */
function sumOfDisruptions(plans: readonly SlotPlan[]): Change {
  const each = plans.slice(1).map((plan, index) => disruptionsOf(plans[index] ?? plan, plan));
  return mapValues(noDisruptions, (_, kind) => sumBy(each, kind));
}
