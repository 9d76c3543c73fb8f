import type { SlotPlan } from '../scenario/slot-plan';
import type { RunResult, World } from '../user/world';

/** A slot's endpoint before a round. */
export interface Before {
  readonly id: string;
  readonly plan: SlotPlan;
  readonly restarts: number;
  readonly drops: number;
  readonly branchId: string;
  readonly isActive: boolean;
  /** It is neither active nor starting. */
  readonly isIdle: boolean;
}

/** The endpoints before a round, by slot, for comparison with the counts after it. */
export type Baseline = ReadonlyMap<number, Before>;

/** Earlier rounds that the user left without a repair. Changes count from the first. */
export interface LeftRounds {
  /** The endpoints before the first of them. */
  readonly baseline: Baseline;
  /** What each of them declared. */
  readonly plans: readonly (readonly SlotPlan[])[];
  readonly results: readonly RunResult[];
}

export function takeBaseline(world: World, earlier: readonly SlotPlan[]): Baseline {
  const { controls } = world.ground;
  const baseline = new Map<number, Before>();
  for (const stack of world.stacks)
    for (const slot of world.slotsOf(stack)) {
      const id = stack.find(world.urnOf(stack, slot))?.id;
      const endpoint = world.ground.own(slot).find((own) => own.id === id);
      const plan = earlier[slot];
      if (id === undefined || !endpoint || !plan?.isDeclared) continue;
      const { current_state, pending_state = current_state, branch_id } = endpoint;
      const counts = { restarts: controls.restarts(id), drops: controls.connectionDrops(id) };
      const states = { isActive: current_state === 'active', isIdle: pending_state === 'idle' };
      baseline.set(slot, { id, plan, ...counts, ...states, branchId: branch_id });
    }
  return baseline;
}
