import { compact, mapValues, sumBy } from 'lodash';
import { isDestroy, type Round } from '../scenario/scenario';
import type { SlotPlan } from '../scenario/slot-plan';
import { slotName } from '../user/declared-slot';
import type { RunResult, World } from '../user/world';

/** A slot's endpoint before a round. */
interface Before {
  readonly id: string;
  readonly plan: SlotPlan;
  readonly restarts: number;
  readonly drops: number;
  readonly isActive: boolean;
  readonly branchId: string;
  /** It is neither active nor starting. */
  readonly isIdle: boolean;
}

/** The endpoints before a round, by slot, for comparison with the counts after it. */
export type Baseline = ReadonlyMap<number, Before>;

/** Earlier rounds that the user left without a repair. Changes count from the first. */
export interface LeftRounds {
  /** The endpoints before the first of them. */
  readonly baseline: Baseline;
  /** What each of them declared. */
  readonly plans: readonly (readonly SlotPlan[])[];
  readonly results: readonly RunResult[];
  /** The ids of the latest suspensions of the slots that were to be stopped. They may still fail. */
  readonly suspensions: ReadonlyMap<number, string>;
}

/** The latest suspension of each slot that the programs stop. */
export function findSuspensions({ ground, plans }: World): ReadonlyMap<number, string> {
  const suspensions = new Map<number, string>();
  for (const [slot, { isStopped }] of plans.entries()) {
    const ids = ground.own(slot).map(({ id }) => id);
    const latest = ground
      .ownOperations()
      .findLast(({ endpoint_id = '', action }) => ids.includes(endpoint_id) && action === 'suspend_compute');
    if (isStopped && latest) suspensions.set(slot, latest.id);
  }
  return suspensions;
}

export function takeBaseline(world: World, earlier: readonly SlotPlan[]): Baseline {
  const { controls } = world.ground;
  const baseline = new Map<number, Before>();
  for (const stack of world.stacks)
    for (const slot of world.slotsOf(stack)) {
      const id = stack.find(world.urnOf(stack, slot))?.id;
      const endpoint = world.ground.own(slot).find((own) => own.id === id);
      const plan = earlier[slot];
      if (id === undefined || !endpoint || !plan?.isDeclared) continue;
      const counts = { restarts: controls.restarts(id), drops: controls.connectionDrops(id) };
      const { current_state: state, pending_state: next = state } = endpoint;
      baseline.set(slot, {
        id,
        plan,
        ...counts,
        isActive: state === 'active',
        isIdle: next === 'idle',
        branchId: endpoint.branch_id,
      });
    }
  return baseline;
}

/**
 * Checks that connections drop once for each declared change that requires it, that a new endpoint has no restart,
 * that a compute that was active is active again, and that an endpoint which nothing replaces is still the same.
 */
export function checkRestarts(
  world: World,
  round: Round,
  results: readonly RunResult[],
  { baseline, plans, results: earlier, suspensions }: LeftRounds,
): void {
  const { ground, watch } = world;
  const wasLeft = plans.length > 0;
  const failed = ground.ownOperations().filter(({ status }) => status === 'failed');
  const all = [...earlier, ...results];
  // An interruption does not wait for a response that takes longer than half a second.
  const isSlow =
    world.scenario.longestDelayMs > 200 || round.faults.some(({ effect }) => effect.kind === 'slow');
  const isResponseLate = isSlow && results.some(({ run }) => run.isInterrupted);
  for (const stack of world.stacks)
    for (const { slot, plan } of world.declared(stack)) {
      // What other people change is changed back, which may need a restart.
      if (round.disturbances.some((disturbance) => disturbance.slot === slot)) continue;
      const endpoint = ground.own(slot).find(({ id }) => id === stack.find(world.urnOf(stack, slot))?.id);
      if (!endpoint) continue;
      const before = baseline.get(slot);
      const isSame = before?.id === endpoint.id;
      const between = compact(plans.map((each) => each[slot]));
      const isReplaced =
        !before ||
        isDestroy(round) ||
        (ground.branches.plans.length > 0 && before.branchId !== endpoint.branch_id) ||
        [before.plan, ...between].some(
          (each) => !each.isDeclared || each.type !== plan.type || each.project !== plan.project,
        );
      const isForced = round.forced.some((force) => force.slot === slot);
      if (!isSame && !isReplaced && !isForced)
        watch.violate(
          'nothing is replaced without a reason',
          `${slotName(slot)}: ${before.id} was replaced by ${endpoint.id}, which nothing asked for`,
        );
      const restarts = ground.controls.restarts(endpoint.id) - (isSame ? before.restarts : 0);
      const drops = ground.controls.connectionDrops(endpoint.id) - (isSame ? before.drops : 0);
      const change = sumOfDisruptions([...(isSame ? [before.plan] : []), ...between, plan]);
      // One restart is enough for a change of size and triggers, unless the first one failed, was cut off or came from a duplicate.
      const isPlain =
        !world.journal.counts.has('duplicated requests') &&
        results.every(({ isSuccess, run }) => isSuccess && !run.isCutOff);
      const isAtOnce = isPlain && change.size > 0 && change.trigger > 0;
      // A reverted failed stop stops nothing.
      const isUnstopped = failed.some(({ id }) => id === suspensions.get(slot));
      const stop = isUnstopped && !plan.isStopped ? 0 : change.stop;
      const declared = change.size + (isAtOnce && !wasLeft ? 0 : change.trigger) + change.move + stop;
      // A kill during a restart by `restartTriggers` adds one: the service does not know about triggers.
      const isKilled = all.some(({ run }) => run.isKilled);
      // A lost response also adds one if the deadline leaves no time to look up what the request did.
      const lost = all.filter(hasLostResponse);
      const mostLost = change.trigger > 0 ? Number(isKilled || isResponseLate) + lost.length : 0;
      // A killed run has repeated a restart that had failed, and the lists of the next one do not show that yet.
      const mayFail = wasLeft || round.faults.some(({ effect }) => effect.kind === 'operation-fails');
      const isRepeatLost = isKilled && mayFail && world.lagMs > 0;
      const most = declared + Math.max(mostLost, Number(isRepeatLost));
      if (restarts > change.size || drops > most)
        watch.violate(
          'restarts are declared',
          `${slotName(slot)}: too many restarts or drops of ${endpoint.id}: ${restarts} and ${drops}, declared ${JSON.stringify(change)}`,
        );
      // After a refresh, an update that was killed shows no change. A create that keeps the endpoint ignores triggers.
      const isRefreshed = round.refreshesBetween || round.disturbances.length > 0 || round.forced.length > 0;
      const isForgotten = isForced || (isRefreshed && all.some(({ run }) => run.isCutOff));
      const wasActive = isSame && before.isActive && !ground.wasAutosuspended(endpoint.id);
      // A trigger that a run failed to apply may have been reverted.
      const due = isSame ? disruptionsOf(before.plan, plan) : noDisruptions;
      const isDue = due.size + due.move + due.stop + (wasLeft ? 0 : due.trigger) > 0;
      if (wasActive && isDue && drops === 0 && plan.isWaiting && !isForgotten)
        watch.violate(
          'a declared restart happens',
          `${slotName(slot)}: ${endpoint.id} was never restarted, declared ${JSON.stringify(change)}`,
        );
      // A forced replacement that keeps the endpoint ignores triggers, also one whose restart an earlier run has begun.
      const staysUp =
        change.move + change.stop === 0 &&
        !plan.isStopped &&
        !(wasLeft && isForced) &&
        !(isSame && before.isIdle) &&
        !(mostLost > 0 && (isSame || wasLeft));
      // After a refresh, nothing shows that a killed run has begun a restart, and its start may have failed.
      const isKnown = !(isRefreshed && isKilled && mayFail);
      const isUp = endpoint.current_state === 'active' || ground.wasAutosuspended(endpoint.id);
      if (staysUp && isKnown && !isUp)
        watch.violate(
          'the compute starts again',
          `${slotName(slot)}: ${endpoint.id} is ${endpoint.current_state}, declared ${JSON.stringify(change)}`,
        );
      // The network alone may make a run fail: a request stalls for longer than the time-out. The next one repeats the restart.
      const hasFailed = results.some(({ isSuccess, run }) => !isSuccess || run.isCutOff);
      const isDoubtful = round.faults.length > 0 || round.isRunTwice || hasFailed || wasLeft;
      if (isSame && before.isIdle && endpoint.current_state === 'active' && !isDoubtful)
        watch.violate('an idle compute stays idle', `${slotName(slot)}: ${endpoint.id} was started`);
    }
}

/** Whether the run has failed without having seen what a request has done. */
export function hasLostResponse({ failures }: RunResult): boolean {
  return failures.some(({ message }) => lostResponse.test(message));
}

const lostResponse = /no usable response|not the service's own response|: (408|425|5(0[0247]|[1-9]\d)) /;

const noDisruptions = { size: 0, trigger: 0, move: 0, stop: 0 };

/** The changes from one plan to the other that disrupt an active compute, each 0 or 1. */
function disruptionsOf(before: SlotPlan, now: SlotPlan) {
  return {
    size: before.size.join() === now.size.join() ? 0 : 1,
    trigger: before.trigger === now.trigger ? 0 : 1,
    move: before.branch === now.branch ? 0 : 1,
    stop: !before.isStopped && now.isStopped ? 1 : 0,
  };
}

/** What the changes from one program to the next disrupt in all. */
function sumOfDisruptions(plans: readonly SlotPlan[]): typeof noDisruptions {
  const each = plans.slice(1).map((plan, index) => disruptionsOf(plans[index] ?? plan, plan));
  return mapValues(noDisruptions, (_, kind) => sumBy(each, kind));
}
