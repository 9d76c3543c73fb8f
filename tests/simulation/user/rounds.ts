import { setTimeout as sleep } from 'node:timers/promises';
import { compact } from 'lodash';
import type { InjectedFault } from 'postgres-control-emulator';
import type { Stack } from '../engine/stack';
import { type LeftRounds, takeBaseline } from '../rules/baseline';
import { mayDelete } from '../rules/delete-rules';
import { checkAgreement, checkForeign, checkRepeated } from '../rules/rest-checks';
import { checkRestarts } from '../rules/restarts-at-rest';
import { checkFalseFailure, checkFalseSuccess, checkGate, hasLostResponse } from '../rules/run-checks';
import { isDestroy, type Round } from '../scenario/scenario';
import { act, disturbedSlots } from './act';
import { recover, unlock } from './recover';
import { countFaults, longestLagMs, repeatFailed, runDisturbed } from './round-runs';
import { settle } from './settle';
import type { RunResult, World } from './world';

/** Runs every round: commands under faults, then what a user does to recover, then the checks. */
export async function runRounds(world: World): Promise<void> {
  let left: LeftRounds | undefined;
  for (const round of world.scenario.rounds) {
    world.journal.count('rounds');
    left = await runRound(world, round, left);
    // Later violations would only be consequences.
    if (world.book.isBroken) return;
  }
}

/** What a round has done so far. */
interface Progress {
  readonly round: Round;
  readonly stacks: readonly Stack[];
  /** What the checks count from: the rounds that the user left without a repair. */
  readonly since: LeftRounds;
  /** The runs under the faults. */
  readonly results: readonly RunResult[];
  /** These, and their repetitions. */
  readonly all: readonly RunResult[];
  /** The last run of each stack. */
  readonly latest: readonly (RunResult | undefined)[];
}

/** Returns what the next round needs to know if the user leaves this one without a repair. */
async function runRound(
  world: World,
  round: Round,
  left: LeftRounds | undefined,
): Promise<LeftRounds | undefined> {
  const earlier = world.plans;
  await begin(world, round, left);
  const { ground } = world;
  const stacks = world.stacks.filter((stack) => world.slotsOf(stack).length > 0);
  const baseline = takeBaseline(world, earlier);
  const since = left ?? { baseline, plans: [], results: [] };
  ground.isGuarded = round.isGuarded;
  for (const disturbance of round.disturbances) if (disturbance.at === 0) act(world, disturbance);
  if (round.isPreviewed)
    for (const stack of stacks) await world.run(stack, { command: 'up', isPreview: true });
  const isUndisturbed = nothingHappens(round);
  world.isCalm = isUndisturbed;
  world.watch.traffic.isUndisturbed = isUndisturbed && !left;
  const faults = round.faults.map((fault) => ground.controls.inject(fault));
  const results = await runDisturbed(world, round, stacks);
  // What an interrupted process has sent arrives before the user can start the next command.
  if (results.some(({ run }) => run.isInterrupted)) await sleep(world.scenario.longestDelayMs);
  if (!left) checkFalseFailure(world, round, results);
  if (round.isQuiet && results.every(({ isSuccess }) => isSuccess)) return undefined;
  const repeated = round.isRepeated ? await repeatFailed(world, round, stacks, results) : [];
  // A repetition does not know of a `--replace` that was cut off.
  const latest =
    round.forced.length > 0 ? results : stacks.map((_, index) => repeated[index] ?? results[index]);
  const progress = { round, stacks, since, results, all: [...results, ...compact(repeated)], latest };
  endFaults(world, progress, faults);
  checkGate(world, round, baseline);
  if (mayLeave(world, progress)) return leave(world, progress);
  await repair(world, progress);
  if (!world.book.isBroken) await checkRest(world, progress);
  return undefined;
}

/** The programs of the round are declared. */
async function begin(world: World, round: Round, left: LeftRounds | undefined): Promise<void> {
  const { ground, watch, journal } = world;
  world.lagMs = longestLagMs(world.scenario, round);
  await sleep(round.idleMs);
  world.plans = round.slots;
  ground.branches.plans = round.branches;
  world.restarts.declare(round.slots);
  ground.branches.adopted.clear();
  ground.branches.allowed.clear();
  ground.branches.unprotected.clear();
  ground.adopted.clear();
  ground.replacedOnChanges.clear();
  for (const { slot, how } of round.forced)
    if (how === 'replaceOnChanges') ground.replacedOnChanges.add(slot);
  watch.mayDelete = (_run, id) => mayDelete(world, round, id);
  // Reads may lag further behind than before: a refresh would store what the last round has changed since. And what an earlier
  // run has started is not what `allowRestart: false` forbids.
  const refreshes = round.command.includes('refresh') || (left && round.refreshesBetween);
  if (refreshes || (left && round.isGuarded)) await settle(world);
  journal.note('user', () => `declares ${JSON.stringify(round.slots)}`);
}

/** Nothing goes wrong from now on. */
function endFaults(world: World, progress: Progress, faults: readonly InjectedFault[]): void {
  const { round, stacks, latest } = progress;
  // Before the faults are lifted: an operation that hangs finishes then.
  checkFalseSuccess(world, round, stacks, latest);
  countFaults(world, faults);
  for (const fault of faults) fault.clear();
  world.isCalm = true;
  world.watch.traffic.isUndisturbed = false;
}

function isCutOff({ since, results }: Progress): boolean {
  return [...since.results, ...results].some(({ run }) => run.isCutOff);
}

/** Whether the user edits the programs again, although something is unfinished. */
function mayLeave(world: World, progress: Progress): boolean {
  const { round, stacks, results } = progress;
  const isUnfinished = results.some(({ isSuccess }) => !isSuccess) || stacks.some(hasUnfinished);
  // After a kill, the state has only what the next run read back, unless that read stalled.
  const hasSeen = round.isRepeated && !world.journal.counts.has('stalled requests');
  return round.isLeft && (hasSeen || !isCutOff(progress)) && isUnfinished && statesMatchService(world);
}

async function leave(world: World, progress: Progress): Promise<LeftRounds> {
  const { round, stacks, since, all } = progress;
  for (const stack of stacks) await unlock(world, stack);
  world.journal.count('edits before a repair');
  // What was refused has changed nothing, so there is nothing to change back, unless the refusal came too late to be heard.
  const isUnheard = world.journal.counts.has('stalled requests') || all.some(hasLostResponse);
  const hasWritten = isUnheard || isCutOff(progress) || all.some(({ run }) => world.watch.wrote.has(run));
  const plans = hasWritten ? [...since.plans, round.slots] : since.plans;
  return { baseline: since.baseline, plans, results: [...since.results, ...all] };
}

async function repair(world: World, progress: Progress): Promise<void> {
  const { round, stacks, results, latest } = progress;
  // After a destroy there is nothing to restart: `allowRestart: false` must not stop an `up`.
  world.ground.isGuarded =
    isDestroy(round) &&
    round.branches.length === 0 &&
    results.every(({ isSuccess, run }) => isSuccess && !run.isCutOff);
  const wasCutOff = isCutOff(progress);
  for (const [index, stack] of stacks.entries())
    if (wasCutOff || !isDone(world, round, stack, latest[index]))
      await recover(world, round, stack, wasCutOff);
}

/** Checks everything when nothing is under way any more, and that there is nothing left to do. */
async function checkRest(world: World, { round, stacks, since, results, all }: Progress): Promise<void> {
  const { book, journal } = world;
  await settle(world);
  for (const stack of stacks) checkAgreement(world, stack);
  checkRestarts(world, round, all, since);
  checkForeign(world);
  for (const stack of stacks) checkRepeated(world, stack, round, [...since.results, ...results]);
  world.restarts.hasBrokenOff = false;
  if (book.isBroken) return;
  for (const stack of stacks) {
    const options = { isPreview: true, refreshesFirst: round.refreshesAfter };
    const requests = journal.counts.get('requests');
    const preview = await world.run(stack, { command: 'up', ...options });
    if (!options.refreshesFirst)
      book.check(
        'a preview without changes sends nothing',
        journal.counts.get('requests') === requests,
        () => `${preview.run.name} sent requests`,
      );
    book.check(
      'the next preview is empty',
      preview.isSuccess && preview.steps.length === 0,
      () => `${preview.steps} ${JSON.stringify(preview.failures)}`,
    );
  }
}

/** Whether the state records operations without a wait. */
function hasUnfinished({ state }: Stack): boolean {
  return state.resources.some(({ outputs }) => outputs.values.unsettledOperations !== undefined);
}

/**
 * Whether the states and the service have the same resources. A create that never had a response may have left one, which only
 * another `up` of the same program finds; and after a delete that was accepted, the user has to refresh.
 */
function statesMatchService(world: World): boolean {
  const { ground, stacks } = world;
  return (
    [...ground.own(), ...ground.branches.own()].every(({ id }) => world.isInState(id)) &&
    stacks.every(({ state }) => state.resources.every(({ id }) => ground.remains(id)))
  );
}

/** Whether the user has nothing more to do: the run has succeeded, and waited for everything. */
function isDone(world: World, round: Round, stack: Stack, result: RunResult | undefined): boolean {
  const { command, isGuarded, isRunTwice, refreshesBetween, lateReads } = round;
  if (!result?.isSuccess || isGuarded || isRunTwice || refreshesBetween || lateReads.length > 0) return false;
  const isUp = command === 'up' || command === 'up --refresh';
  return (
    isUp && disturbedSlots(round).size === 0 && world.declared(stack).every(({ plan }) => plan.isWaiting)
  );
}

/** Whether nothing goes wrong in the round. */
function nothingHappens({ faults, mishap, disturbances, isRunTwice }: Round): boolean {
  return faults.length === 0 && mishap.kind === 'none' && disturbances.length === 0 && !isRunTwice;
}
