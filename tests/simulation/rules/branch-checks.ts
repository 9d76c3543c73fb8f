import { isEqual, omit } from 'lodash';
import type { Branch } from 'postgres-control-emulator';
import { isBranchUrn, type Stack } from '../engine/stack';
import type { BranchPlan } from '../scenario/branch-plan';
import { isDestroy, type Round } from '../scenario/scenario';
import { branchName } from '../user/declared-slot';
import type { World } from '../user/world';

/** The Branch resources that a stack declares. */
export function declaredBranches(world: World, stack: Stack): { slot: number; plan: BranchPlan }[] {
  return world.slotsOf(stack).flatMap((slot) => {
    const plan = world.ground.branches.declared(slot);
    return plan ? [{ slot, plan }] : [];
  });
}

/** Checks that the service and the state have one branch for each Branch that is declared, as declared, and no others. */
export function checkBranches(world: World, stack: Stack): void {
  const { ground, watch } = world;
  if (ground.branches.plans.length === 0) return;
  const slots = world.slotsOf(stack);
  const own = slots.flatMap((slot) => ground.branches.own(slot));
  const declared = declaredBranches(world, stack);
  const inState = stack.state.resources.flatMap(({ id, urn }) => (isBranchUrn(urn) ? [id] : [])).sort();
  const held = own.map(({ id }) => id).sort();
  if (held.length !== declared.length)
    watch.violate(
      'one branch for each resource',
      `the service has ${held.length} branches (${held}), stack ${stack.name} declares ${declared.length}`,
    );
  if (!isEqual(inState, held))
    watch.violate(
      'one branch for each resource',
      `the state of stack ${stack.name} has ${inState}, the service has ${held}`,
    );
  for (const { slot, plan } of declared) {
    const id = stack.find(world.branchUrnOf(stack, slot))?.id;
    const branch = own.find((candidate) => candidate.id === id);
    const difference = branch ? ground.branches.findDifference(slot, plan, branch) : 'does not exist';
    if (difference)
      watch.violate('the branch is as declared', `${branchName(slot)}: branch ${id} ${difference}`);
  }
}

/** Checks that the branches of other clients are unchanged. */
export function checkForeignBranches({ ground, watch }: World): void {
  for (const before of ground.branches.foreign) {
    const now = ground.branches.find(before.id);
    if (!isEqual(omit(now, 'updated_at'), omit(before, 'updated_at')))
      watch.violate('branches of other clients are untouched', `${before.id}: ${JSON.stringify(now)}`);
  }
}

/**
 * Whether a run has a reason to delete a branch: nothing declares it, it is replaced on purpose, it has no data, or it could not
 * get its name.
 */
export function mayDeleteBranch({ ground }: World, round: Round, branch: Branch): boolean {
  const { branches } = ground;
  if (isDestroy(round) || branches.isBroken(branch.id)) return true;
  const slot = branches.slotOf(branch.id) ?? -1;
  const plan = branches.declared(slot);
  if (!plan) return true;
  if (round.forced.some((force) => force.isBranch && force.slot === slot)) return true;
  if (
    branch.name.endsWith('-creating') &&
    branches.held().some((each) => each.name === branches.name(slot, plan) && isOlder(each, branch))
  )
    return true;
  const isAllowed = plan.allowsDataLoss || branches.allowed.has(slot);
  return isAllowed && branches.hasOtherOrigin(slot, plan, branch);
}

function isOlder(left: Branch, right: Branch): boolean {
  return left.project_id === right.project_id && Date.parse(left.created_at) < Date.parse(right.created_at);
}
