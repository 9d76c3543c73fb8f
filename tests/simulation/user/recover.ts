import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '../engine/stack';
import { checkSuccess } from '../rules/rest-checks';
import { isDestroy, type Round } from '../scenario/scenario';
import { trueTime } from '../time/virtual-time';
import { disturbedSlots } from './act';
import { followAdvice } from './advice';
import { noteGivenAway, refresh, refreshUndrifted } from './refresh';
import { settle } from './settle';
import type { World } from './world';

/** How long it takes a user to remove the lock of a run that was killed, and to start the next. Milliseconds. */
const restartMs = 2_000;
/** Each repetition follows the advice of at most one error for each slot, and the engine may report one error at a time. */
const mostRuns = 10;

/**
 * Does what a user does after a run that was cut off or failed: one `pulumi up`, with `--refresh` where something may have been
 * deleted; after a kill, a plain one comes before that. It is repeated only where an error advises that, or where what a dead process
 * had sent has arrived in the meantime.
 */
export async function recover(world: World, round: Round, stack: Stack, isCutOff: boolean): Promise<void> {
  const { ground } = world;
  await unlock(world, stack);
  // What a run deletes after its CLI was killed, or after it has failed to see the end of the delete, the state still has.
  const isDeleted = stack.state.resources.some(({ id }) => !ground.remains(id));
  const hasDeletes = isDestroy(round) || round.forced.some(({ how }) => how === '--replace');
  const isUnrecorded = (isCutOff || isDeleted) && hasDeletes;
  const hasDrift = disturbedSlots(round).size > 0 || isUnrecorded;
  // Until the create of a dead process has arrived, a refresh can't see it.
  if (isCutOff && mayHaveReplacedBeside(world, round)) {
    await sleep(world.scenario.longestDelayMs);
    await settle(world);
  }
  if (hasDrift) await settle(world);
  if (round.refreshesBetween) {
    await refresh(world, stack, isCutOff);
    if (hasDrift) await settle(world);
    await refreshUndrifted(world, round, stack, isCutOff);
  }
  const lateReads = round.lateReads.map((fault) => ground.controls.inject(fault));
  await repair(world, round, stack, { isCutOff, hasDrift, isUnrecorded });
  for (const fault of lateReads) {
    world.journal.count('late reads', fault.hits);
    fault.clear();
  }
  if (!world.declared(stack).every(({ plan }) => plan.isWaiting)) await resume(world, stack);
}

interface Broken {
  readonly isCutOff: boolean;
  /** Whether the state may have what no longer exists, or is no longer as it was. */
  readonly hasDrift: boolean;
  /** Whether a delete may arrive that no state records. */
  readonly isUnrecorded: boolean;
}

async function repair(
  world: World,
  round: Round,
  stack: Stack,
  { isCutOff, hasDrift, isUnrecorded }: Broken,
): Promise<void> {
  // A refresh hides what the killed run has set and not applied.
  if (isCutOff && hasDrift)
    await world.run(stack, { command: 'up', replaceTargets: findUnreplaced(world, round, stack) });
  // What the dead process had sent may have arrived meanwhile.
  if (hasDrift) await settle(world);
  let repairedFrom = trueTime();
  for (let attempt = 1; ; attempt += 1) {
    if (hasDrift) noteGivenAway(world, stack, isCutOff);
    const replaceTargets = findUnreplaced(world, round, stack);
    const result = await world.run(stack, { command: 'up', refreshesFirst: hasDrift, replaceTargets });
    if (result.isSuccess && isUnrecorded) {
      // A request of a dead process can arrive that much later.
      await sleep(world.scenario.longestDelayMs);
      if (world.watch.lateWriteAt >= repairedFrom) {
        repairedFrom = trueTime();
        await settle(world);
        continue;
      }
    }
    if (result.isSuccess && !hasDrift) checkSuccess(world, stack, result.startedAt);
    if (!result.isSuccess && attempt < mostRuns && (await followAdvice(world, stack, isCutOff, result)))
      continue;
    world.book.check(
      'the next run succeeds',
      result.isSuccess,
      () => `\`up\` without faults failed: ${JSON.stringify(result.failures)}`,
    );
    return;
  }
}

/** Finishes what a run without waiting has left. What it resumes may start operations in turn, for which it does not wait either. */
async function resume(world: World, stack: Stack): Promise<void> {
  for (let steps = 1, runs = 0; steps > 0 && runs < mostRuns; runs += 1) {
    await settle(world);
    const result = await world.run(stack, { command: 'up' });
    world.book.check(
      'the next run succeeds',
      result.isSuccess,
      () => `\`up\` after unfinished operations failed: ${JSON.stringify(result.failures)}`,
    );
    steps = result.isSuccess ? result.steps.length : 0;
  }
}

/**
 * The resources for which the user repeats `--replace`: they create before they delete, and the interrupted create has left an
 * endpoint. The state does not record `--replace`, so a plain `up` has no reason to create, and does not find it.
 */
function findUnreplaced(world: World, { forced }: Round, stack: Stack): ReadonlySet<string> {
  const targets = world.declared(stack).filter(({ slot, plan }) => {
    const isForced = forced.some((force) => force.slot === slot && force.how === '--replace');
    const isLeft = world.ground.own(slot).some(({ id }) => !world.isInState(id));
    return isForced && plan.createsBeforeDelete && isLeft;
  });
  return new Set(targets.map(({ slot }) => world.urnOf(stack, slot)));
}

/** Whether a forced replacement that creates first may have created an endpoint beside its old one. */
export function mayHaveReplacedBeside({ plans }: World, { forced }: Round): boolean {
  return forced.some(({ slot }) => plans[slot]?.createsBeforeDelete);
}

/** Removes the lock of a killed run. */
export async function unlock({ journal }: World, stack: Stack): Promise<void> {
  if (stack.lockedBy === undefined) return;
  await sleep(restartMs);
  journal.note('user', () => `pulumi cancel: removes the lock of ${stack.lockedBy}`);
  await stack.unlock();
}
