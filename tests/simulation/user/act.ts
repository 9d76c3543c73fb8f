import type { Branch, BranchChange, Endpoint } from 'postgres-control-emulator';
import type { BranchPlan } from '../scenario/branch-plan';
import { type Disturbance, isDrift } from '../scenario/other-people';
import type { Round } from '../scenario/scenario';
import type { SlotPlan } from '../scenario/slot-plan';
import { unlessRefused } from '../service/served-plane';
import type { World } from './world';

/** The slots whose endpoints other people change, rename or delete. */
export function disturbedSlots({ disturbances }: Round): ReadonlySet<number> {
  return new Set(disturbances.filter(isDrift).map(({ slot }) => slot));
}

interface Scene {
  readonly world: World;
  readonly disturbance: Disturbance;
  readonly plan: SlotPlan;
  /** The endpoint of the slot. */
  readonly own: Endpoint | undefined;
}

interface BranchScene extends Omit<Scene, 'plan' | 'own'> {
  readonly plan: BranchPlan;
  /** The branch of the slot. */
  readonly own: Branch | undefined;
}

/** Does it, and returns what to tell; undefined: it was not possible. */
type Act = (scene: Scene) => string | undefined;

const changeOwn =
  (change: (scene: Scene & { own: Endpoint }) => void): Act =>
  ({ own, ...scene }) => {
    if (!own) return undefined;
    change({ ...scene, own });
    return own.id;
  };

const acts: Partial<Record<Disturbance['what'], Act>> = {
  'create an endpoint': ({ world, disturbance, plan }) => {
    const isShared = world.scenario.traits[disturbance.slot]?.isShared === true;
    const id = world.ground.addEndpoint(disturbance, plan, isShared);
    if (id !== undefined) world.journal.count('foreign objects');
    return id;
  },
  'add an operation': ({ world, disturbance: { status, forMs }, plan, own }) => {
    const { ground, journal } = world;
    const isHere = own?.project_id === ground.project(plan.project).id;
    // The only operation that the service starts on an endpoint by itself.
    const action = isHere ? 'check_availability' : 'create_branch';
    const operation = { action, status, ...(own && isHere && { endpointId: own.id }) };
    setTimeout(ground.addOperation(plan.project, operation), forMs).unref();
    journal.count('foreign objects');
    return status;
  },
  'lock the project': ({ world, disturbance: { forMs }, plan }) => {
    const lock = { action: 'create_branch', status: 'running' };
    setTimeout(world.ground.addOperation(plan.project, lock), forMs).unref();
    world.journal.count('foreign objects');
    return `for ${forMs} ms`;
  },
  'change an endpoint': changeOwn(({ world, own }) =>
    world.ground.controls.changeEndpoint(own.id, { suspend_timeout_seconds: 1_234 }),
  ),
  'resize an endpoint': changeOwn(({ world, own }) => {
    world.restarts.changedByOthers(own.id);
    world.ground.controls.changeEndpoint(own.id, {
      autoscaling_limit_min_cu: 2,
      autoscaling_limit_max_cu: 2,
    });
  }),
  'rename an endpoint': changeOwn(({ world, disturbance, own }) =>
    world.ground.controls.changeEndpoint(own.id, { name: `renamed-${disturbance.slot}` }),
  ),
  'delete an endpoint': changeOwn(({ world, own }) => world.ground.controls.deleteEndpoint(own.id)),
  'connect to an endpoint': changeOwn(({ world, own }) => {
    for (const { id } of world.ground.controls.connect(own.id)) world.watch.unheard.add(id);
  }),
};

const branchActs: Partial<Record<Disturbance['what'], (scene: BranchScene) => string | undefined>> = {
  'create a branch': ({ world, disturbance: { slot, name = 'own' }, plan }) => {
    const declared =
      name === 'own'
        ? `others-${slot}`
        : world.ground.branches.name(slot, { ...plan, name: plan.name ?? name });
    const id = world.ground.branches.addForeign(plan.project, declared ?? `others-${slot}`);
    if (id !== undefined) world.journal.count('foreign objects');
    return id;
  },
  'protect a branch': ({ world, own }) => {
    if (!own) return undefined;
    const id = changeBranch(world, own, { protected: !own.protected });
    world.ground.branches.protectedByOthers.add(id);
    return id;
  },
  'rename a branch': ({ world, disturbance: { slot }, own }) => {
    const name = `renamed-${slot}`;
    const isTaken = world.ground.branches.held().some((branch) => branch.name === name);
    return own && !isTaken ? changeBranch(world, own, { name }) : undefined;
  },
  'delete a branch': ({ world, own }) => own && world.ground.deleteBranch(own),
};

function changeBranch({ ground }: World, { id, project_id }: Branch, change: BranchChange): string {
  ground.controls.changeBranch(project_id, id, change);
  return id;
}

/** Does at the service what other people do. */
export function act(world: World, disturbance: Disturbance): void {
  const { slot, what } = disturbance;
  const plan = world.plans[slot];
  const branchAct = branchActs[what];
  if (!plan && !branchAct) return;
  // What is being deleted can't be changed, and what no state has could never be recognised under another name.
  const known = new Set(world.stacks.flatMap(({ state }) => state.resources.map(({ id }) => id)));
  const isKnown = ({ id }: { id: string }) => known.has(id) && !world.ground.isDeleting(id);
  const branchPlan = world.ground.branches.plans[slot];
  const perform = () => {
    const { ground } = world;
    if (!branchAct)
      return plan && acts[what]?.({ world, disturbance, plan, own: ground.own(slot).find(isKnown) });
    const own = ground.branches.own(slot).find(isKnown);
    return branchPlan && branchAct({ world, disturbance, plan: branchPlan, own });
  };
  const done = unlessRefused(perform);
  if (done === undefined) return;
  world.journal.count('changes by others');
  world.journal.note('other people', () => `${what}: ${done}`);
}
