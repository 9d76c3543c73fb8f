import { setTimeout as sleep } from 'node:timers/promises';
import { isEqual, pick } from 'lodash';
import { isBranchUrn, type Stack } from '../engine/stack';
import type { Round } from '../scenario/scenario';
import type { SlotPlan } from '../scenario/slot-plan';
import { findNamed, followBranchAdvice } from './branch-recover';
import { slotName } from './declared-slot';
import { refresh } from './recovery-refresh';
import { settle } from './settle';
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

/** Follows the advice of the errors. Returns whether the contract allows every one of them. */
export async function followAdvice(
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
export function mayShowDeleted({ scenario }: World, { lateReads }: Round): boolean {
  const { lateGetsMs = 0 } = scenario.service;
  return lateGetsMs > 0 || lateReads.some(({ match }) => 'path' in match && match.path === '/**');
}

/** Whether a refresh may have stored a name from before the last change, which the program does not declare. */
function mayHaveStaleName({ lagMs, plans }: World, { refreshesBetween }: Round, slot: number): boolean {
  return refreshesBetween && lagMs > 0 && plans[slot]?.name === undefined;
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
