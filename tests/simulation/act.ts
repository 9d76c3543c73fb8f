import type { Endpoint } from 'postgres-control-emulator';
import type { SlotPlan } from '../chaos/slot-plan';
import { type Disturbance, isDrift } from './other-people';
import type { Round } from './scenario';
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

/** Does it, and returns what to tell; undefined: it was not possible. */
type Act = (scene: Scene) => string | undefined;

const changeOwn =
  (change: (scene: Scene & { own: Endpoint }) => void): Act =>
  ({ own, ...scene }) => {
    if (!own) return undefined;
    change({ ...scene, own });
    return own.id;
  };

const acts: Readonly<Record<Disturbance['what'], Act>> = {
  'create an endpoint': ({ world, disturbance, plan }) => {
    const isShared = world.scenario.traits[disturbance.slot]?.isShared === true;
    const id = world.ground.addEndpoint(disturbance, plan, isShared);
    if (id !== undefined) world.journal.count('foreign objects');
    return id;
  },
  'add an operation': ({ world, disturbance: { status }, plan, own }) => {
    const { ground, journal } = world;
    const isHere = own?.project_id === ground.project(plan.project).id;
    // The only operation that the service starts on an endpoint by itself.
    const action = isHere ? 'check_availability' : 'create_branch';
    ground.addOperation(plan.project, { action, status, ...(own && isHere && { endpointId: own.id }) });
    journal.count('foreign objects');
    return status;
  },
  'lock the project': ({ world, disturbance: { forMs }, plan }) => {
    const lock = { action: 'create_branch', status: 'running', locks: true };
    setTimeout(world.ground.addOperation(plan.project, lock), forMs).unref();
    world.journal.count('foreign objects');
    return `for ${forMs} ms`;
  },
  'change an endpoint': changeOwn(({ world, own }) =>
    world.ground.controls.changeEndpoint(own.id, { suspend_timeout_seconds: 1_234 }),
  ),
  'resize an endpoint': changeOwn(({ world, own }) =>
    world.ground.controls.changeEndpoint(own.id, {
      autoscaling_limit_min_cu: 2,
      autoscaling_limit_max_cu: 2,
    }),
  ),
  'rename an endpoint': changeOwn(({ world, disturbance, own }) =>
    world.ground.controls.changeEndpoint(own.id, { name: `renamed-${disturbance.slot}` }),
  ),
  'delete an endpoint': changeOwn(({ world, own }) => world.ground.controls.deleteEndpoint(own.id)),
  'connect to an endpoint': changeOwn(({ world, own }) => {
    for (const { id } of world.ground.controls.connect(own.id)) world.watch.unheard.add(id);
  }),
};

/** Does at the service what other people do. */
export function act(world: World, disturbance: Disturbance): void {
  const { slot, what } = disturbance;
  const plan = world.plans[slot];
  if (!plan) return;
  // What is being deleted can't be changed, and what no state has could never be recognised under another name.
  const known = new Set(world.stacks.flatMap(({ state }) => state.resources.map(({ id }) => id)));
  const own = world.ground.own(slot).find(({ id }) => known.has(id) && !world.ground.isDeleting(id));
  const done = acts[what]({ world, disturbance, plan, own });
  if (done === undefined) return;
  world.journal.count('changes by others');
  world.journal.note('other people', () => `${what}: ${done}`);
}
