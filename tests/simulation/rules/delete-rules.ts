import type { Branch, Endpoint } from 'postgres-control-emulator';
import { isDestroy, type Round } from '../scenario/scenario';
import { disturbedSlots } from '../user/act';
import type { World } from '../user/world';

/** Whether a run has a reason to delete an endpoint or a branch of the programs. */
export function mayDelete(world: World, round: Round, id: string): boolean {
  if (isDestroy(round)) return true;
  const branch = world.ground.branches.find(id);
  if (branch) return mayDeleteBranch(world, round, branch);
  const endpoint = world.ground.own().find((own) => own.id === id);
  return !endpoint || mayDeleteEndpoint(world, round, endpoint);
}

/** Nothing declares it, or it is replaced. */
function mayDeleteEndpoint(world: World, round: Round, endpoint: Endpoint): boolean {
  const { ground, plans } = world;
  const slot = ground.slotOf(endpoint) ?? -1;
  const plan = plans[slot];
  if (!plan?.isDeclared || plan.type !== endpoint.type) return true;
  if (ground.place(slot, plan).projectId !== endpoint.project_id) return true;
  if (round.forced.some((force) => force.slot === slot) || disturbedSlots(round).has(slot)) return true;
  // It goes with its Branch.
  const branch = ground.branches.find(endpoint.branch_id);
  return branch !== undefined && isReplaced(world, slot, branch);
}

/** Nothing declares it, it is replaced on purpose, it has no data, or it can't get its name. */
function mayDeleteBranch({ ground }: World, round: Round, branch: Branch): boolean {
  const { branches } = ground;
  const slot = branches.slotOf(branch.id) ?? -1;
  const plan = branches.declared(slot);
  if (!plan || branches.isBroken(branch.id)) return true;
  if (round.forced.some((force) => force.isBranch && force.slot === slot)) return true;
  const isUnnamed = branch.name.endsWith('-creating');
  if (isUnnamed && branches.held().some(({ name }) => name === branches.name(slot, plan))) return true;
  const isAllowed = plan.allowsDataLoss || branches.allowed.has(slot);
  return isAllowed && branches.hasOtherOrigin(slot, plan, branch);
}

function isReplaced({ ground: { branches } }: World, slot: number, branch: Branch): boolean {
  const plan = branches.declared(slot);
  if (!plan || branches.slotOf(branch.id) === undefined) return false;
  return branches.hasOtherOrigin(slot, plan, branch) || branches.isBroken(branch.id);
}
