import { setTimeout as sleep } from 'node:timers/promises';
import { compact, isMatch } from 'lodash';
import type { Endpoint, InjectedFault } from 'postgres-control-emulator';
import { defaultReadLagMs } from '../../../provider/src/control-api/read-lag';
import type { SimulatedRun } from '../engine/simulated-run';
import { isBranchUrn, type Stack } from '../engine/stack';
import { checkBranches, checkForeignBranches, mayDeleteBranch } from '../rules/branch-checks';
import { checkEndpoints, checkForeign, checkRepeated } from '../rules/rest-checks';
import {
  checkRestarts,
  findSuspensions,
  hasLostResponse,
  type LeftRounds,
  takeBaseline,
} from '../rules/restart-check';
import { checkFalseFailure, checkFalseSuccess, checkGate } from '../rules/run-checks';
import { isDrift } from '../scenario/other-people';
import { isDestroy, type Round, type Scenario } from '../scenario/scenario';
import type { SlotPlan } from '../scenario/slot-plan';
import { trueTime } from '../time/virtual-time';
import { act, disturbedSlots } from './act';
import { recover, unlock } from './recover';
import { mayHaveReplacedBeside } from './recovery-replacements';
import { settle } from './settle';
import type { Command, RunResult, World } from './world';

/** Runs every round: commands under faults, then what a user does to recover, then the checks. */
export async function runRounds(world: World): Promise<void> {
  let left: LeftRounds | undefined;
  for (const round of world.scenario.rounds) {
    world.journal.count('rounds');
    left = await runRound(world, round, left);
    // Later violations would only be consequences.
    if (world.watch.violations.length > 0) return;
  }
}

/** Returns what the next round needs to know if the user leaves this one without a repair. */
async function runRound(
  world: World,
  round: Round,
  left: LeftRounds | undefined,
): Promise<LeftRounds | undefined> {
  const { ground, watch, journal } = world;
  world.lagMs = longestLagMs(world.scenario, round);
  await sleep(round.idleMs);
  const earlier = world.plans;
  world.plans = round.slots;
  ground.branches.plans = round.branches;
  world.restarts.declare(round.slots);
  ground.branches.adopted.clear();
  ground.branches.allowed.clear();
  ground.adopted.clear();
  ground.imported.clear();
  ground.replacedOnChanges.clear();
  for (const { slot, how } of round.forced)
    if (how === 'replaceOnChanges') ground.replacedOnChanges.add(slot);
  // Reads may lag further behind than before: a refresh would store what the last round has changed since. And what an earlier
  // run has started is not what `allowRestart: false` forbids.
  const refreshes = round.command.includes('refresh') || (left && round.refreshesBetween);
  if (refreshes || (left && round.isGuarded)) await settle(world);
  const stacks = world.stacks.filter((stack) => world.slotsOf(stack).length > 0);
  const baseline = takeBaseline(world, earlier);
  const since = left ?? { baseline, plans: [], results: [], suspensions: new Map() };
  watch.mayDelete = (run, endpointId) => mayDelete(world, round, run, endpointId);
  watch.branches.mayDelete = (_run, branch) => mayDeleteBranch(world, round, branch);
  journal.note('user', () => `declares ${JSON.stringify(round.slots)}`);
  for (const disturbance of round.disturbances) if (disturbance.at === 0) act(world, disturbance);
  ground.isGuarded = round.isGuarded;
  if (round.isPreviewed)
    for (const stack of stacks) await world.run(stack, { command: 'up', isPreview: true });
  const isUndisturbed = nothingHappens(round);
  world.isCalm = isUndisturbed;
  watch.traffic.isUndisturbed = isUndisturbed && !left;
  watch.branches.isUndisturbed = isUndisturbed && !left;
  const faults = round.faults.map((fault) => ground.controls.inject(fault));
  const results = await runDisturbed(world, round, stacks);
  // What an interrupted process has sent arrives before the user can start the next command.
  if (results.some(({ run }) => run.isInterrupted)) await sleep(world.scenario.longestDelayMs);
  if (!left) checkFalseFailure(world, round, results);
  if (round.isQuiet && results.every(({ isSuccess }) => isSuccess)) return undefined;
  const repeated = round.isRepeated ? await repeatFailed(world, round, stacks, results) : [];
  const all = [...results, ...compact(repeated)];
  // A repetition does not know of a `--replace` that was cut off.
  const latest =
    round.forced.length > 0 ? results : stacks.map((_, index) => repeated[index] ?? results[index]);
  // Before the faults are lifted: an operation that hangs finishes then.
  checkFalseSuccess(world, round, stacks, latest);
  countFaults(world, faults);
  for (const fault of faults) fault.clear();
  checkGate(world, round, baseline);
  world.isCalm = true;
  watch.traffic.isUndisturbed = false;
  watch.branches.isUndisturbed = false;
  const soFar = [...since.results, ...results];
  const isCutOff = soFar.some(({ run }) => run.isCutOff);
  const isUnfinished = results.some(({ isSuccess }) => !isSuccess) || stacks.some(hasUnfinished);
  // After a kill, the state has only what the next run read back, unless that read stalled.
  const hasSeen = round.isRepeated && !journal.counts.has('stalled requests');
  const isLeft = round.isLeft && (hasSeen || !isCutOff);
  if (isLeft && isUnfinished && statesMatchService(world)) {
    for (const stack of stacks) await unlock(world, stack);
    journal.count('edits before a repair');
    // What was refused has changed nothing, so there is nothing to change back, unless the refusal came too late to be heard.
    const isUnheard = journal.counts.has('stalled requests') || all.some(hasLostResponse);
    const hasWritten = isUnheard || isCutOff || all.some(({ run }) => watch.wrote.has(run));
    const plans = hasWritten ? [...since.plans, round.slots] : since.plans;
    return {
      baseline: since.baseline,
      plans,
      results: [...since.results, ...all],
      suspensions: findSuspensions(world),
    };
  }
  // After a destroy there is nothing to restart: `allowRestart: false` must not stop an `up`.
  ground.isGuarded =
    isDestroy(round) &&
    round.branches.length === 0 &&
    results.every(({ isSuccess, run }) => isSuccess && !run.isCutOff);
  for (const [index, stack] of stacks.entries())
    if (isCutOff || !isDone(world, round, stack, latest[index])) await recover(world, round, stack, isCutOff);
  if (watch.violations.length > 0) return undefined;
  await settle(world);
  for (const stack of stacks) checkBranches(world, stack);
  for (const stack of stacks) checkEndpoints(world, stack);
  checkRestarts(world, round, all, since);
  checkForeign(world);
  checkForeignBranches(world);
  for (const stack of stacks) checkRepeated(world, stack, round, soFar);
  if (watch.violations.length > 0) return undefined;
  for (const stack of stacks) {
    const options = { isPreview: true, refreshesFirst: round.refreshesAfter };
    const requests = journal.counts.get('requests');
    const preview = await world.run(stack, { command: 'up', ...options });
    if (!options.refreshesFirst && journal.counts.get('requests') !== requests)
      watch.violate('a preview without changes sends nothing', `${preview.run.name} sent requests`);
    if (!preview.isSuccess || preview.steps.length > 0)
      watch.violate('the next preview is empty', `${preview.steps} ${JSON.stringify(preview.failures)}`);
  }
  return undefined;
}

const plainCommands: Readonly<Record<Round['command'], Command>> = {
  up: 'up',
  'up --refresh': 'up',
  refresh: 'refresh',
  destroy: 'destroy',
  'destroy --refresh': 'destroy',
};

async function runDisturbed(world: World, round: Round, stacks: readonly Stack[]): Promise<RunResult[]> {
  const { journal } = world;
  const { command, forced } = round;
  let pending = round.disturbances.filter(({ at }) => at > 0);
  journal.count('forced replacements', forced.length);
  const urnsOf = (stack: Stack, how: Round['forced'][number]['how']) => {
    const own = forced.filter((force) => force.how === how && world.slotsOf(stack).includes(force.slot));
    return own.map(({ slot, isBranch = false }) =>
      isBranch ? world.branchUrnOf(stack, slot) : world.urnOf(stack, slot),
    );
  };
  for (const stack of stacks) for (const urn of urnsOf(stack, 'taint')) await stack.taint(urn);
  const runs = stacks.map((stack, index) => {
    const isFirst = index === 0;
    return world.run(stack, {
      command: plainCommands[command],
      refreshesFirst: command.endsWith(' --refresh'),
      replaceTargets: new Set(urnsOf(stack, '--replace')),
      ...(isFirst && {
        mishap: round.mishap,
        onEvent: (event: number) => {
          for (const disturbance of pending) if (disturbance.at === event) act(world, disturbance);
        },
      }),
    });
  });
  const [first] = stacks;
  if (round.isRunTwice && first) runs.push(world.run(first, { command: 'up' }));
  const results = await Promise.all(runs);
  // The host of a killed CLI lives on. Drift that began after the user's refresh would make the repairing run fail.
  pending = pending.filter((disturbance) => !isDrift(disturbance));
  return results;
}

/** Runs the failed commands again. Returns the results by stack. */
async function repeatFailed(
  world: World,
  round: Round,
  stacks: readonly Stack[],
  results: readonly RunResult[],
): Promise<(RunResult | undefined)[]> {
  const { command, isLeft } = round;
  const isCutOff = results.some(({ run }) => run.isCutOff);
  // The repetition has to see what a killed run did: the next program may revert it.
  if (isLeft || (isCutOff && mayHaveReplacedBeside(world, round))) {
    await sleep(world.scenario.longestDelayMs);
    await settle(world);
  }
  const repeated: (RunResult | undefined)[] = [];
  for (const [index, stack] of stacks.entries()) {
    if (results[index]?.isSuccess || command === 'refresh') {
      repeated.push(undefined);
      continue;
    }
    await unlock(world, stack);
    repeated.push(await world.run(stack, { command: isDestroy({ command }) ? 'destroy' : 'up' }));
  }
  return repeated;
}

/** Whether the state records operations without a wait. */
function hasUnfinished({ state }: Stack): boolean {
  return state.resources.some(({ outputs }) => outputs.values.unsettledOperations !== undefined);
}

/**
 * Whether the states and the service have the same endpoints. A create that never had a response may have left one, which only
 * another `up` of the same program finds; and after a delete that was accepted, the user has to refresh.
 */
function statesMatchService(world: World): boolean {
  const { ground, stacks } = world;
  const inState = stacks.flatMap(({ state }) => state.resources);
  const isKept = ({ id, urn }: { id: string; urn: string }) =>
    isBranchUrn(urn) ? ground.branches.find(id) !== undefined : ground.exists(id) && !ground.isDeleting(id);
  return (
    [...ground.own(), ...ground.branches.own()].every(({ id }) => world.isInState(id)) &&
    inState.every(isKept)
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

function longestLagMs({ service }: Scenario, { faults, lateReads }: Round): number {
  const { lateListsMs = 0, lateGetsMs = 0 } = service;
  const lags = [...faults, ...lateReads].map(({ effect }) =>
    effect.kind === 'late-read' ? effect.lateMs : 0,
  );
  return Math.max(lateListsMs, lateGetsMs, ...lags);
}

function countFaults({ journal }: World, faults: readonly InjectedFault[]): void {
  for (const { fault, hits } of faults) {
    const { kind } = fault.effect;
    if (kind === 'late-read') journal.count('late reads', hits);
    if (kind === 'lost-before-work') journal.count('lost requests', hits);
    if (kind === 'lost-after-work') journal.count('lost responses', hits);
    if (kind === 'proxy-page') journal.count('proxy pages', hits);
    if (kind === 'status') journal.count('odd statuses', hits);
    if (kind === 'cut-off' || kind === 'malformed') journal.count('broken responses', hits);
    if (kind === 'operation-fails') journal.count('failed operations', hits);
    if (kind === 'operation-hangs' || kind === 'operation-status') journal.count('hanging operations', hits);
  }
}

/** Whether a run has a reason to delete an endpoint: nothing declares it, it is replaced, or it is a duplicate. */
function mayDelete(world: World, round: Round, run: SimulatedRun, endpointId: string): boolean {
  const { ground } = world;
  const endpoint = ground.own().find(({ id }) => id === endpointId);
  // A delete of an endpoint that does not exist has no effect.
  if (!endpoint || isDestroy(round)) return true;
  const slot = ground.slotOf(endpoint) ?? -1;
  const plan = world.plans[slot];
  if (!plan?.isDeclared || plan.type !== endpoint.type) return true;
  if (ground.place(slot, plan).projectId !== endpoint.project_id) return true;
  if (isReplacedWithBranch(world, slot, endpoint)) return true;
  if (round.forced.some((force) => force.slot === slot)) return true;
  const isNew = world.watch.hasCreated(run, endpointId);
  if (isNew && (mayListDeleted(world, slot) || isTwin(world, run, slot, plan, endpoint))) return true;
  return ground.own(slot).length > 1 || disturbedSlots(round).has(slot);
}

/** Whether the endpoint's Branch has to be replaced: the endpoint goes with it. */
function isReplacedWithBranch({ ground }: World, slot: number, { branch_id }: Endpoint): boolean {
  const branch = ground.branches.find(branch_id);
  const plan = ground.branches.declared(slot);
  if (!branch || !plan || ground.branches.slotOf(branch_id) === undefined) return false;
  return ground.branches.hasOtherOrigin(slot, plan, branch) || ground.branches.isBroken(branch_id);
}

/** Whether lists may still show a deleted endpoint of the slot: a create finds it, and then creates its endpoint again. */
function mayListDeleted({ watch }: World, slot: number): boolean {
  return trueTime() - (watch.deletedAt.get(slot) ?? Number.NEGATIVE_INFINITY) < defaultReadLagMs;
}

/**
 * Whether another client has created an endpoint of the same name at the same place, and no state has ours. A create that
 * notices this only after its own request deletes its endpoint again, and reports that the name is taken.
 */
function isTwin(
  world: World,
  run: SimulatedRun,
  slot: number,
  plan: SlotPlan,
  { id, branch_id, type }: Endpoint,
) {
  const { ground } = world;
  // An interrupted run records it before the delete arrives.
  if (world.isInState(id) && !run.isInterrupted) return false;
  const name = plan.name && ground.texts.name(slot, plan.project, plan.name);
  return name !== undefined && ground.foreign.some((other) => isMatch(other, { name, branch_id, type }));
}
