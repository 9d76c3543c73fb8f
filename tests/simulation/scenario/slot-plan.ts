import fc from 'fast-check';

export const projectCount = 2;

/** What a slot of the program declares in one round. */
export interface SlotPlan {
  readonly isDeclared: boolean;
  readonly project: number;
  /** Each slot has two branches of its own in each project, so that no two compete for one. */
  readonly branch: number;
  readonly type: 'read_write' | 'read_only';
  readonly size: readonly [number, number];
  readonly suspendTimeoutSeconds: number;
  /** The Postgres settings `work_mem` and `application_name`. */
  readonly workMem: string | undefined;
  readonly application: Variant | undefined;
  /** The value of the restart trigger. */
  readonly trigger: Variant | undefined;
  /** The declared name. Undefined: the provider derives one. */
  readonly name: Variant | undefined;
  readonly isWaiting: boolean;
  /** Sets `disabled: true`. */
  readonly isStopped: boolean;
  /** Sets `deleteBeforeReplace: false`, where that is allowed. */
  readonly createsBeforeDelete: boolean;
}

/** A variant of a text that SlotTexts derives for each slot. */
export type Variant = 'a' | 'b';

/** The properties of a slot that stay the same in all rounds of a seed. */
export interface SlotTraits {
  /** Which inputs are secrets: each value, or the whole map. */
  readonly secretSettings: 'no' | 'values' | 'map';
  readonly secretTriggers: 'no' | 'values' | 'map';
  readonly isNameSecret: boolean;
  /** Other clients have replicas on its branches. No endpoint can move to those, so the slot stays on its first branch. */
  readonly isShared: boolean;
}

const variant = fc.constantFrom<Variant>('a', 'b');
const often = fc.nat(3).map((roll) => roll > 0);
const seldom = fc.nat(3).map((roll) => roll === 0);

export const slotPlan: fc.Arbitrary<SlotPlan> = fc.record({
  isDeclared: often,
  project: fc.nat(projectCount - 1),
  branch: fc.nat(1),
  type: fc.constantFrom('read_write', 'read_only'),
  size: fc.constantFrom<readonly [number, number]>([0.25, 0.25], [0.25, 1], [0.5, 2], [1, 4]),
  suspendTimeoutSeconds: fc.constantFrom(0, 300, 3600),
  workMem: fc.constantFrom(undefined, '4MB', '8MB'),
  application: fc.option(variant, { nil: undefined, freq: 2 }),
  trigger: fc.option(variant, { nil: undefined, freq: 2 }),
  name: fc.option(variant, { nil: undefined, freq: 2 }),
  isWaiting: fc.nat(5).map((roll) => roll > 0),
  isStopped: fc.constant<boolean>(false),
  createsBeforeDelete: fc.boolean(),
});

export const slotTraits: fc.Arbitrary<SlotTraits> = fc.record({
  secretSettings: fc.constantFrom('no', 'values', 'map'),
  secretTriggers: fc.constantFrom('no', 'values', 'map'),
  isNameSecret: seldom,
  isShared: seldom,
});

/** Which parts of a slot change from one round to the next: few, as in a real edit. */
export const slotEdit = fc.record({
  isDeclared: seldom,
  size: fc.boolean(),
  settings: fc.boolean(),
  trigger: fc.boolean(),
  name: seldom,
  branch: seldom,
  replacement: seldom,
  options: seldom,
  /** Stops the slot, or takes that back; undefined: neither. */
  stop: fc.constant<boolean | undefined>(undefined),
});

type SlotEdit = typeof slotEdit extends fc.Arbitrary<infer Value> ? Value : never;

/** The plan of the next round. */
export function editPlan(
  before: SlotPlan | undefined,
  fresh: SlotPlan,
  edit: SlotEdit | undefined,
): SlotPlan {
  if (!before || !edit) return fresh;
  return {
    isDeclared: edit.isDeclared ? fresh.isDeclared : before.isDeclared,
    project: edit.replacement ? fresh.project : before.project,
    type: edit.replacement ? fresh.type : before.type,
    branch: edit.branch ? fresh.branch : before.branch,
    size: edit.size ? fresh.size : before.size,
    suspendTimeoutSeconds: edit.settings ? fresh.suspendTimeoutSeconds : before.suspendTimeoutSeconds,
    workMem: edit.settings ? fresh.workMem : before.workMem,
    application: edit.settings ? fresh.application : before.application,
    trigger: edit.trigger ? fresh.trigger : before.trigger,
    name: edit.name ? fresh.name : before.name,
    isWaiting: edit.options ? fresh.isWaiting : before.isWaiting,
    isStopped: edit.stop ?? before.isStopped,
    createsBeforeDelete: edit.options ? fresh.createsBeforeDelete : before.createsBeforeDelete,
  };
}

/** Restricts a plan to what the service and the provider allow. */
export function allowedPlan(plan: SlotPlan, { isShared }: SlotTraits): SlotPlan {
  // The README allows it only for a read replica with a derived name.
  const createsBeforeDelete =
    plan.createsBeforeDelete && plan.type === 'read_only' && plan.name === undefined;
  return { ...plan, createsBeforeDelete, branch: isShared ? 0 : plan.branch };
}
