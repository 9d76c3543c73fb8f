import { setTimeout as sleep } from 'node:timers/promises';
import { isEqual, pick } from 'lodash';
import { isBranchUrn, type Stack } from '../engine/stack';
import { refresh } from './refresh';
import { settle } from './settle';
import type { RunResult, World } from './world';

/** An error of a run, about a resource. */
interface Advised {
  readonly world: World;
  readonly stack: Stack;
  /** Whether the run before was cut off. */
  readonly isCutOff: boolean;
  readonly slot: number;
  readonly isBranch: boolean;
  readonly message: string;
  readonly startedAt: number;
}

/** Follows an advice. Returns whether the contract allows it here. */
type Follow = (advised: Advised) => boolean | Promise<boolean>;

/** What an error advises, and what the user does then: the first that fits. The contract allows a repetition for nothing else. */
const advices: readonly (readonly [RegExp, Follow])[] = [
  [/run `pulumi up --refresh`/, refreshFirst],
  [/allowDataLoss is not true/, allowDataLoss],
  [/neither a protected branch nor its endpoints|a reset of branch \S+ it is protected/, unprotect],
  [/Run `pulumi up` again/, waitForOthers],
  [/a change of branchId moves .* is a duplicate/, deleteDuplicate],
  // The next `up` replaces a branch whose creation has failed, and repeats a reset that has.
  [/create_branch \S+?[ :]/, isOfEarlierRun],
  [/Choose another name|another name creates a new one|already has a branch of that name|_EXISTS/, rename],
  [/set adopt: true|adopt: true takes (it )?over/, adopt],
];

/** Follows the advice of the errors. Returns whether the contract allows every one of them. */
export async function followAdvice(
  world: World,
  stack: Stack,
  isCutOff: boolean,
  { failures, startedAt }: RunResult,
): Promise<boolean> {
  for (const { urn, message } of failures) {
    const slot = world.slotOfUrn(urn);
    const advised = { world, stack, isCutOff, slot, isBranch: isBranchUrn(urn), message, startedAt };
    let isFollowed = false;
    for (const [advice, follow] of advices) isFollowed ||= advice.test(message) && (await follow(advised));
    if (!isFollowed) return false;
  }
  return failures.length > 0;
}

async function refreshFirst({ world, stack, isCutOff }: Advised): Promise<boolean> {
  // Until then a list may still show what was deleted.
  await settle(world);
  await refresh(world, stack, isCutOff);
  return true;
}

async function waitForOthers({ world }: Advised): Promise<boolean> {
  await settle(world);
  return true;
}

/** A replacement that creates first was killed, and the next run would move the old endpoint to where the new one is. */
function deleteDuplicate({ world, isCutOff, slot, message }: Advised): boolean {
  const { ground, journal } = world;
  const [, id = ''] = /endpoints delete (\S+)/.exec(message) ?? [];
  if (!isCutOff || world.isInState(id) || !ground.own(slot).some((own) => own.id === id)) return false;
  ground.controls.deleteEndpoint(id);
  journal.note('user', () => `deletes ${id}, which a killed replacement has left`);
  return true;
}

function allowDataLoss({ world, slot }: Advised): boolean {
  const { branches } = world.ground;
  if (branches.allowed.has(slot) || branches.declared(slot)?.allowsDataLoss !== false) return false;
  branches.allowed.add(slot);
  world.journal.note('user', () => `sets allowDataLoss: true for the branch of slot ${slot}`);
  return true;
}

/** In the program where its branch stays, and else at the service. */
function unprotect({ world, slot, message }: Advised): boolean {
  const { branches } = world.ground;
  const [, branchId = ''] = /branch (br-\S+) is protected/.exec(message) ?? [];
  const branch = branches.find(branchId);
  const isKept = !/delete of branch/.test(message) && branches.declared(slot) !== undefined;
  if (isKept && !branches.unprotected.has(slot)) branches.unprotected.add(slot);
  else if (branch?.protected)
    world.ground.controls.changeBranch(branch.project_id, branchId, { protected: false });
  else return false;
  world.journal.note('user', () => `unprotects ${branchId} ${isKept ? 'in the program' : 'at the service'}`);
  return true;
}

/** Whether the failed copy, of a create or a reset, had been started before this run. */
function isOfEarlierRun({ world: { ground }, message, startedAt }: Advised): boolean {
  const [, id] = /create_branch (\S+?)[ :]/.exec(message) ?? [];
  return ground
    .ownOperations()
    .some((operation) => operation.id === id && Date.parse(operation.created_at) <= startedAt);
}

/**
 * Another client has the declared name, and what a killed create has left may have it too: the user deletes that. The message hides a
 * name that is a secret, but the user knows it.
 */
async function rename({ world, isCutOff, slot, isBranch, message }: Advised): Promise<boolean> {
  const { ground, journal, plans } = world;
  const plan = isBranch ? ground.branches.declared(slot) : plans[slot];
  const others = isBranch ? ground.branches.foreign : ground.foreign;
  const [, holder = ''] = /the project .*?((?:ep|br)-[a-z]+-[a-z]+-\d+)/.exec(message) ?? [];
  if (plan?.name === undefined) return renameOthers(world, holder);
  if (message.includes('-creating')) return false;
  const of = isBranch ? 'branch' : 'name';
  const name = ground.texts.name(slot, plan.project, plan.name, of);
  const made = isBranch ? ground.branches.own(slot) : ground.own(slot);
  if (message.includes('which an earlier `pulumi up` created')) {
    // The rename of a dead process may still arrive: the next run then names both.
    if (isCutOff) await sleep(world.scenario.longestDelayMs);
    await settle(world);
    if (made.some((own) => own.name === name)) return true;
  }
  const isHolder = ({ id }: { id: string }) => id === holder;
  if (made.some(isHolder) || !others.some((other) => other.name === name || isHolder(other))) return false;
  if (/delete or import it/.test(message))
    for (const { id } of made)
      if (message.includes(id) && !world.isInState(id)) ground.controls.deleteEndpoint(id);
  ground.texts.avoidName(slot, plan.project, plan.name, of);
  journal.count('renames');
  journal.note('user', () => `chooses another name for the ${of} of slot ${slot}`);
  return true;
}

/** The name is that of an earlier program, whose create has not come to its rename. */
function renameOthers({ ground, journal }: World, holder: string): boolean {
  if (!ground.branches.renameForeign(holder)) return false;
  journal.note('user', () => `asks others to rename ${holder}`);
  return true;
}

/**
 * A create was killed right after the rename to the declared name: no state has what it has made. Or a forced replacement finds its own
 * endpoint under a name that others have given it. Or the program goes back before a replacement that creates first has deleted the old.
 */
function adopt({ world, stack, isCutOff, slot, isBranch, message }: Advised): boolean {
  const { ground, journal } = world;
  const adopted = isBranch ? ground.branches.adopted : ground.adopted;
  const made = isBranch ? ground.branches.own(slot) : ground.own(slot);
  const isReplaced = /\bbranchId (value \S+ has a problem: )?already has/.test(message);
  const isAllowed = ({ id }: { id: string }) => {
    const stored = stack.state.resources.find((resource) => resource.id === id);
    return stored ? stored.isToDelete || isReplaced : isCutOff;
  };
  const found = made.find(
    (each) => isAllowed(each) && [each.id, each.name].some((text) => text && message.includes(text)),
  );
  if (!found || adopted.has(slot)) return false;
  if (!isBranch && !isReplaced) resetUndeclared(world, slot, found.id);
  adopted.set(slot, found.name ?? '');
  journal.count('adoptions');
  journal.note('user', () => `sets adopt: true for slot ${slot}, ${found.name}`);
  return true;
}

/** A take-over leaves settings that the program does not declare; an earlier program may have set them. */
function resetUndeclared({ ground, plans }: World, slot: number, id: string): void {
  const plan = plans[slot];
  const held = ground.own(slot).find((own) => own.id === id)?.settings.pg_settings ?? {};
  const declared = pick(held, plan ? Object.keys(ground.texts.settings(slot, plan)) : []);
  if (!isEqual(declared, held)) ground.controls.changeEndpoint(id, { settings: { pg_settings: declared } });
}
