import { setTimeout as sleep } from 'node:timers/promises';
import { isBranchUrn, type Stack } from '../engine/stack';
import { checkSuccess } from '../rules/rest-checks';
import { isDestroy, type Round } from '../scenario/scenario';
import { trueTime } from '../time/virtual-time';
import { disturbedSlots } from './act';
import { followAdvice, mayShowDeleted } from './recovery-advice';
import { noteGivenAway, refresh, refreshUndrifted } from './recovery-refresh';
import {
  deletesWithoutRecord,
  deleteUnknown,
  findRenamed,
  findUnreplaced,
  mayHaveReplacedBeside,
} from './recovery-replacements';
import { settle } from './settle';
import type { World } from './world';

/** How long it takes a user to remove the lock of a run that was killed, and to start the next. Milliseconds. */
const restartMs = 2_000;
/** Each repetition follows the advice of at most one error for each slot, and the engine may report one error at a time. */
const mostRuns = 6;

/**
 * Does what a user does after a run that was cut off or failed: one `pulumi up`, with `--replace` where `findUnreplaced` says
 * so. The contract allows a repetition for these reasons only:
 * - A create was killed right after the rename to the declared name: the error advises `adopt: true`.
 * - A replacement could not delete its old endpoint, which is in the way of what the program now declares: the error names the
 *   endpoint, and the user deletes it.
 * - An endpoint of another client has the declared name: the error advises another name.
 * - The endpoint was deleted, by a replacement that was cut off or by other people: the error advises a refresh.
 * - Reads by id lag behind too, and the error names an endpoint that was deleted a moment ago.
 * - A delete that no state records, sent by a process that was killed, arrives only now: a refresh could not see it before. Or
 *   a create of a `--replace` does: the user could not see that it has left an endpoint.
 * - A delete of the earlier run is still under way, and the error says so. Or it fails now: the error advises to run the
 *   command again.
 * - A killed create has left an endpoint of the declared name, which a stale list does not show. If other people have one of the
 *   same name at the same place, they rename theirs.
 * - A change of a process that was killed arrives only now, and overwrites that of the repairing run.
 * - A refresh right after a change stored the old name. If the program declares no name, the provider keeps that one.
 * - `waitForOperations: false`: the run records its unfinished operations, and the next run resumes them.
 */
export async function recover(world: World, round: Round, stack: Stack, isCutOff: boolean): Promise<void> {
  const { ground, journal, watch } = world;
  await unlock(world, stack);
  // What a run deletes after its CLI was killed, or after it has failed to see the end of the delete, the state still has.
  const isGone = (id: string, urn: string) =>
    isBranchUrn(urn) ? !ground.branches.find(id) : !ground.exists(id) || ground.isDeleting(id);
  const isDeleted = stack.state.resources.some(({ id, urn }) => isGone(id, urn));
  const isUnrecorded = (isCutOff || isDeleted) && deletesWithoutRecord(round);
  const renamed = findRenamed(world, stack);
  const hasDrift = disturbedSlots(round).size > 0 || isUnrecorded;
  let repairedFrom = trueTime();
  // A refresh still sees what was changed. A create looks up a listed endpoint by id; that read may be stale as well.
  const mayRefuse = (isCutOff || isDestroy(round)) && mayShowDeleted(world, round);
  const mayHaveReplaced = isCutOff && mayHaveReplacedBeside(world, round);
  // Until the create of a dead process has arrived, the user can't know whether to repeat `--replace`.
  if (mayHaveReplaced) await sleep(world.scenario.longestDelayMs);
  if (hasDrift || mayRefuse || mayHaveReplaced) await settle(world);
  if (round.refreshesBetween) await refresh(world, stack, isCutOff);
  if (hasDrift || mayRefuse) await settle(world);
  if (isCutOff) deleteUnknown(world, round, stack, round.refreshesBetween || hasDrift ? renamed : []);
  if (round.refreshesBetween) await refreshUndrifted(world, round, stack, isCutOff);
  const lateReads = round.lateReads.map((fault) => ground.controls.inject(fault));
  for (let attempt = 1; ; attempt += 1) {
    if (hasDrift) noteGivenAway(world, stack, isCutOff);
    const replaceTargets = findUnreplaced(world, round, stack);
    const result = await world.run(stack, { command: 'up', refreshesFirst: hasDrift, replaceTargets });
    // A request of a dead process can arrive that much later.
    if (result.isSuccess && isUnrecorded) await sleep(world.scenario.longestDelayMs);
    if (result.isSuccess && isUnrecorded && watch.lateWriteAt >= repairedFrom) {
      repairedFrom = trueTime();
      await settle(world);
      continue;
    }
    if (result.isSuccess) {
      // The next program no longer says `import`.
      ground.imported.clear();
      if (!hasDrift) checkSuccess(world, stack, result.startedAt);
      break;
    }
    if (attempt < mostRuns && (await followAdvice(world, round, stack, isCutOff, result))) continue;
    watch.violate(
      'the next run succeeds',
      `\`up\` without faults failed: ${JSON.stringify(result.failures)}`,
    );
    break;
  }
  for (const fault of lateReads) {
    journal.count('late reads', fault.hits);
    fault.clear();
  }
  if (world.declared(stack).every(({ plan }) => plan.isWaiting)) return;
  // What it resumes may start operations in turn, for which it does not wait either.
  for (let steps = 1, runs = 0; steps > 0 && runs < mostRuns; runs += 1) {
    await settle(world);
    const result = await world.run(stack, { command: 'up' });
    if (!result.isSuccess)
      watch.violate(
        'the next run succeeds',
        `\`up\` after unfinished operations failed: ${JSON.stringify(result.failures)}`,
      );
    steps = result.isSuccess ? result.steps.length : 0;
  }
}

/** Removes the lock of a killed run. */
export async function unlock({ journal }: World, stack: Stack): Promise<void> {
  if (stack.lockedBy === undefined) return;
  await sleep(restartMs);
  journal.note('user', () => `pulumi cancel: removes the lock of ${stack.lockedBy}`);
  await stack.unlock();
}
