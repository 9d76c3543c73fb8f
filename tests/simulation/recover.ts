import { setTimeout as sleep } from 'node:timers/promises';
import { isEqual, map, pick, union } from 'lodash';
import { disturbedSlots } from './act';
import { findNamed, followBranchAdvice } from './branch-recover';
import { slotName } from './declared-slot';
import { checkSuccess } from './rest-checks';
import { isDestroy, type Round } from './scenario';
import { settle } from './settle';
import type { SlotPlan } from './slot-plan';
import { isBranchUrn, type Stack } from './stack';
import { trueTime } from './virtual-time';
import type { RunResult, World } from './world';

const adoptAdvice = 'adopt: true takes it over';
/** The engine deletes the old endpoint of a replacement only after the create, which may find it in its way. */
const refusalByLeftover = /adopt: true moves it to this branch|ENDPOINT_EXISTS|BRANCH_HAS_ENDPOINT/;
const renameAdvice = /Choose another name|another name creates a new one/;
const refusal = /the project (already has an endpoint of that name|has an endpoint of the derived name)/;
const refreshAdvice = 'run `pulumi up --refresh`';
/** The values that the run sends are not the ones that the service has at its end. */
const overwrittenAdvice = 'Another client may have changed it';
const staleNameAdvice = /reports a different name than declared\. Another client may have changed it/;
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
  // A refresh still sees what was changed. A create asks by id whether what a list shows was deleted, which may lag behind, too.
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

/** Removes the lock that a killed run has left. */
export async function unlock({ journal }: World, stack: Stack): Promise<void> {
  if (stack.lockedBy === undefined) return;
  await sleep(restartMs);
  journal.note('user', () => `pulumi cancel: removes the lock of ${stack.lockedBy}`);
  await stack.unlock();
}

/** Follows the advice of the errors. Returns whether the contract allows every one of them. */
async function followAdvice(
  world: World,
  round: Round,
  stack: Stack,
  isCutOff: boolean,
  { failures, startedAt }: RunResult,
): Promise<boolean> {
  const { ground, journal, watch } = world;
  for (const { urn, message } of failures) {
    const slot = world.slotOfUrn(urn);
    const plan = world.plans[slot];
    const named = namedIn(message);
    const isForeign = ground.isForeign(named);
    const mayBeLeft = refusalByLeftover.test(message) || message.includes(adoptAdvice);
    const leftover = mayBeLeft ? findLeftover(stack, urn, message) : undefined;
    if (message.includes(refreshAdvice)) {
      // Until then a list may still show what was deleted.
      await sleep(world.lagMs);
      await refresh(world, stack, isCutOff);
    } else if (isBranchUrn(urn)) {
      if (!(await followBranchAdvice(world, stack, isCutOff, urn, message, startedAt))) return false;
    } else if (mayShowDeleted(world, round) && isStaleRefusal(world, message)) {
      // Later it is gone.
      journal.count('stale refusals');
      await settle(world);
    } else if (message.includes('ENDPOINT_DELETING')) {
      // A run that was cut off has sent the delete, perhaps after the refresh of this one. Later the endpoint is gone.
      await settle(world);
    } else if (message.includes(overwrittenAdvice) && watch.lateChangeAt >= startedAt - world.lagMs) {
      // The error advises to run the command again.
    } else if (mayHaveStaleName(world, round, slot) && staleNameAdvice.test(message)) {
      // This error advises the same.
    } else if (plan?.name !== undefined && isNameTaken(world, message) && hasLeftNamed(world, stack, slot)) {
      // The killed run has left an endpoint of the name, which this list did not show yet. A later error names it.
      journal.count('stale refusals');
      await sleep(world.lagMs);
      ground.askToRenameIfRepeated(named, ground.place(slot, plan).branchId);
    } else if (plan?.name !== undefined && isNameTaken(world, message)) {
      ground.texts.avoidName(slot, plan.project, plan.name);
      journal.count('renames');
      journal.note('user', () => `chooses another name for ${slotName(slot)}`);
    } else if (plan?.name !== undefined && message.includes(adoptAdvice) && isCutOff && !isForeign) {
      if (ground.adopted.has(slot) || ground.imported.has(slot)) return false;
      // An import does not repeat a start that has failed.
      const mayFail = round.faults.some(({ effect }) => effect.kind === 'operation-fails');
      const mayImport = stack.find(urn) === undefined && !mayFail;
      resetUndeclared(world, slot, plan, named);
      takeOver(world, slot, `${ground.place(slot, plan).projectId}/${named}`, mayImport);
    } else if (leftover !== undefined) {
      journal.note('user', () => `deletes ${leftover}`);
      ground.controls.deleteEndpoint(leftover);
    } else if (!hasJoinedDelete(world, message, startedAt)) return false;
  }
  return failures.length > 0;
}

/** A take-over leaves settings that the program does not declare; an earlier program may have set them. */
function resetUndeclared({ ground }: World, slot: number, plan: SlotPlan, id: string): void {
  const held = ground.own(slot).find((own) => own.id === id)?.settings.pg_settings ?? {};
  const declared = pick(held, Object.keys(ground.texts.settings(slot, plan)));
  if (!isEqual(declared, held)) ground.controls.changeEndpoint(id, { settings: { pg_settings: declared } });
}

/** Whether a run has left an endpoint of the declared name that no state has. */
function hasLeftNamed({ ground, plans }: World, stack: Stack, slot: number): boolean {
  const plan = plans[slot];
  const name = plan?.name && ground.texts.name(slot, plan.project, plan.name);
  const inState = stack.state.resources.map(({ id }) => id);
  return ground.own(slot).some((own) => own.name === name && !inState.includes(own.id));
}

/** The endpoint that the project has already, by the error. */
function namedIn(message: string): string {
  return endpointsIn(message)[0] ?? '';
}

/** Whether an endpoint is in the way that no longer exists: a list and a read by id, or what an earlier run has left, still show it. */
export function isStaleRefusal({ ground }: World, message: string): boolean {
  return refusal.test(message) && endpointsIn(message).some((id) => !ground.exists(id));
}

/** The endpoints that the project has, by the error. */
function endpointsIn(message: string): string[] {
  return message.slice(message.indexOf('the project ')).match(/\bep-[a-z]+-[a-z]+-\d+/g) ?? [];
}

/** Whether the error refuses a name because an endpoint of another client has it. */
export function isNameTaken(world: World, message: string): boolean {
  const { ground } = world;
  const branch =
    message.includes('branch of that name') || message.includes('BRANCH_ALREADY_EXISTS')
      ? findNamed(world, message)
      : undefined;
  if (branch) return ground.branches.isForeign(branch.id);
  return renameAdvice.test(message) && ground.isForeign(namedIn(message));
}

/** Whether a delete failed with an operation of an earlier run: a second DELETE responds with the operations under way. */
function hasJoinedDelete({ ground }: World, message: string, startedAt: number): boolean {
  const [, id] = /delete of endpoint \S+: operation \S+ (\S+) /.exec(message) ?? [];
  const operation = ground.ownOperations().find((each) => each.id === id);
  return operation !== undefined && Date.parse(operation.created_at) < startedAt;
}

/** Whether reads by id may lag behind, not only lists. */
function mayShowDeleted({ scenario }: World, { lateReads }: Round): boolean {
  const { lateGetsMs = 0 } = scenario.service;
  return lateGetsMs > 0 || lateReads.some(({ match }) => 'path' in match && match.path === '/**');
}

/**
 * The resources for which the user repeats `--replace`: they create before they delete, and the interrupted create has left an
 * endpoint. The state does not record `--replace`, so a plain `up` has no reason to create, and does not find it.
 */
function findUnreplaced(world: World, { forced }: Round, stack: Stack): ReadonlySet<string> {
  const inState = stack.state.resources.map(({ id }) => id);
  const targets = world.declared(stack).filter(({ slot, plan }) => {
    const isForced = forced.some((force) => force.slot === slot && force.how === '--replace');
    const isLeft = world.ground.own(slot).some(({ id }) => !inState.includes(id));
    return isForced && plan.createsBeforeDelete && isLeft;
  });
  return new Set(targets.map(({ slot }) => world.urnOf(stack, slot)));
}

/**
 * Whether a forced replacement that creates first may have created an endpoint beside its old one. It takes the old one over
 * unless a stale list hides it. If a list hides the new one from the next `up`, that one takes over the old one and leaves the new.
 */
export function mayHaveReplacedBeside({ plans }: World, { forced }: Round): boolean {
  return forced.some(({ slot }) => plans[slot]?.createsBeforeDelete);
}

/** The resources whose endpoint has another name than their inputs in state: an update that failed has renamed it, or other people. */
function findRenamed(world: World, stack: Stack): readonly number[] {
  const renamed = stack.state.resources.filter(({ id, urn, inputs }) => {
    const slot = world.slotOfUrn(urn);
    const held = world.ground.own(slot).find((own) => own.id === id);
    return held && held.name !== inputs.values.name;
  });
  return renamed.map(({ urn }) => world.slotOfUrn(urn));
}

/**
 * Deletes what a killed replacement has created beside an old endpoint whose name the state did not have, or that other people
 * have deleted since: its derived name stands for that of the old one, so after a refresh no later create finds it.
 */
function deleteUnknown(world: World, round: Round, stack: Stack, renamed: readonly number[]): void {
  const { ground, journal, plans } = world;
  const changed = round.disturbances.filter(({ what }) =>
    ['rename an endpoint', 'delete an endpoint'].includes(what),
  );
  const unknown = union(renamed, map(changed, 'slot')).filter(
    (slot) =>
      world.slotsOf(stack).includes(slot) &&
      plans[slot]?.createsBeforeDelete &&
      round.forced.some((force) => force.slot === slot && force.how === 'replaceOnChanges'),
  );
  const inState = stack.state.resources.map(({ id }) => id);
  for (const slot of unknown)
    for (const { id } of ground.own(slot).filter((own) => !inState.includes(own.id))) {
      journal.note('user', () => `deletes ${id}`);
      ground.controls.deleteEndpoint(id);
    }
}

/** Whether a refresh may have stored a name from before the last change, which the program does not declare. */
function mayHaveStaleName({ lagMs, plans }: World, { refreshesBetween }: Round, slot: number): boolean {
  return refreshesBetween && lagMs > 0 && plans[slot]?.name === undefined;
}

/** Whether the next `up` does not delete again what this one has begun to delete. */
function deletesWithoutRecord({ command, forced }: Round): boolean {
  return isDestroy({ command }) || forced.some(({ how }) => how === '--replace');
}

/**
 * Takes over the endpoint of a create that was killed: by `adopt: true` or, if nothing of it is secret, by an import. The engine
 * imports nothing into a resource whose replacement was cut off.
 */
function takeOver(world: World, slot: number, id: string, mayImport: boolean): void {
  const { ground, journal, plans, randomness, scenario } = world;
  const { secretSettings = 'no', isNameSecret = false } = scenario.traits[slot] ?? {};
  // The service does not know about triggers, so after an import one restarts the compute.
  const hasTrigger = plans[slot]?.trigger !== undefined;
  if (mayImport && secretSettings === 'no' && !isNameSecret && !hasTrigger && randomness.happens(0.5)) {
    ground.imported.set(slot, id);
    journal.count('imports');
    journal.note('user', () => `imports ${id} as ${slotName(slot)}`);
    return;
  }
  ground.adopted.add(slot);
  journal.count('adoptions');
  journal.note('user', () => `sets adopt: true for ${slotName(slot)}`);
}

/** The endpoint of the resource that the error names: the old one of a replacement. */
function findLeftover({ state }: Stack, urn: string, message: string): string | undefined {
  // The error of a move first names the endpoint that can't move.
  const named = message.replace(/^.* cannot move /, '');
  return state.resources.find((resource) => resource.urn === urn && named.includes(resource.id))?.id;
}

async function refresh(world: World, stack: Stack, isCutOff: boolean): Promise<void> {
  noteGivenAway(world, stack, isCutOff);
  await world.run(stack, { command: 'refresh' });
}

/** Checks that a refresh changes nothing in state that nobody has changed at the service. */
async function refreshUndrifted(world: World, round: Round, stack: Stack, isCutOff: boolean): Promise<void> {
  const before = [...stack.state.resources];
  await refresh(world, stack, isCutOff);
  if (isCutOff || round.disturbances.length > 0 || world.lagMs > 0) return;
  for (const { id, outputs } of stack.state.resources) {
    // In a replacement that took over its own endpoint, two have the same id.
    const earlier = before.filter((each) => each.id === id).map((each) => each.outputs.values);
    if (earlier.length > 0 && !earlier.some((values) => isEqual(values, outputs.values)))
      world.watch.violate(
        'a refresh finds only drift',
        `${id} changed from ${JSON.stringify(earlier)} to ${JSON.stringify(outputs.values)}`,
      );
  }
}

/** The argument whose value each kind of secret text is. */
const secretArguments = { name: 'name', setting: 'pgSettings', trigger: 'restartTriggers' };
const secretsOfBranch = { branch: 'name' };

/**
 * A refresh knows only the state. If the run was killed after the service had stored a secret, the state does not mark
 * the value as a secret, so the refresh stores it in plain text. The same holds for the old copy of an endpoint that a failed
 * replacement keeps.
 */
function noteGivenAway(world: World, stack: Stack, isCutOff: boolean): void {
  const { ground, watch } = world;
  const { resources } = stack.state;
  for (const { id, urn, inputs, outputs } of resources) {
    if (!isCutOff && resources.filter((other) => other.id === id).length === 1) continue;
    for (const [what, argument] of Object.entries(isBranchUrn(urn) ? secretsOfBranch : secretArguments)) {
      if ([...inputs.secretNames, ...outputs.secretNames].includes(argument)) continue;
      const isUnmarked = (canary: string) => canary.includes(`-${what}-${world.slotOfUrn(urn)}-`);
      for (const canary of ground.texts.canaries.filter(isUnmarked)) watch.givenAway.add(canary);
    }
  }
}
