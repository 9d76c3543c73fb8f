import fc from 'fast-check';
import type { Drawn } from './drawing';

export const projectCount = 2;

/** A variant of a text that SlotTexts derives for each slot. */
export type Variant = 'a' | 'b';

const variant = fc.constantFrom<Variant>('a', 'b');
const often = fc.nat(3).map((roll) => roll > 0);
const seldom = fc.nat(3).map((roll) => roll === 0);

const secrecy = fc.constantFrom<'no' | 'values' | 'map'>('no', 'values', 'map');

/** What a slot of the program declares in one round. */
export const slotPlan = fc.record({
  isDeclared: often,
  project: fc.nat(projectCount - 1),
  /** Each slot has two branches of its own in each project, so that no two compete for one. */
  branch: fc.nat(1),
  type: fc.constantFrom<'read_write' | 'read_only'>('read_write', 'read_only'),
  size: fc.constantFrom<readonly [number, number]>([0.25, 0.25], [0.25, 1], [0.5, 2], [1, 4]),
  suspendTimeoutSeconds: fc.constantFrom<number>(0, 300, 3600),
  /** The Postgres settings `work_mem` and `application_name`. */
  workMem: fc.constantFrom<string | undefined>(undefined, '4MB', '8MB'),
  application: fc.option(variant, { nil: undefined, freq: 2 }),
  /** The value of the restart trigger. */
  trigger: fc.option(variant, { nil: undefined, freq: 2 }),
  /** The declared name. Undefined: the provider derives one. */
  name: fc.option(variant, { nil: undefined, freq: 2 }),
  isWaiting: fc.nat(5).map((roll) => roll > 0),
  /** Sets `disabled: true`. */
  isStopped: fc.constant<boolean>(false),
  /** Sets `deleteBeforeReplace: false`, where that is allowed. */
  createsBeforeDelete: fc.boolean(),
});

export type SlotPlan = Drawn<typeof slotPlan>;

/** The properties of a slot that stay the same in all rounds of a seed. */
export const slotTraits = fc.record({
  /** Which inputs are secrets: each value, or the whole map. */
  secretSettings: secrecy,
  secretTriggers: secrecy,
  isNameSecret: seldom,
  /** Other clients have replicas on its branches. No endpoint can move to those, so the slot stays on its first branch. */
  isShared: seldom,
});

export type SlotTraits = Drawn<typeof slotTraits>;

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

type SlotEdit = Drawn<typeof slotEdit>;

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
