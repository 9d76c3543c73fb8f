import fc from 'fast-check';
import type { Fault } from 'postgres-control-emulator';
import type { Drawn } from './drawing';
import type { Disturbance } from './other-people';
import { projectCount, type SlotPlan, type Variant } from './slot-plan';

const variant = fc.constantFrom<Variant>('a', 'b');
const often = fc.nat(5).map((roll) => roll > 0);
const seldom = fc.nat(4).map((roll) => roll === 0);

/** What a slot's Branch declares in one round. */
const branchPlan = fc.record({
  isDeclared: often,
  project: fc.nat(projectCount - 1),
  /** The parent. Undefined: the program gives none. */
  parent: fc.option(variant, { nil: undefined, freq: 1 }),
  lsn: fc.constantFrom<string | undefined>(undefined, undefined, undefined, '0/1E19478'),
  isSchemaOnly: seldom,
  /** The declared name. Undefined: the provider derives one. */
  name: fc.option(variant, { nil: undefined, freq: 2 }),
  isProtected: fc.constantFrom<boolean | undefined>(undefined, false, true),
  allowsDataLoss: often,
});

export interface BranchPlan extends Drawn<typeof branchPlan> {
  /** Whether the slot's endpoint takes its `branchId` from it. */
  readonly hasEndpoint: boolean;
  /** A change resets the branch. */
  readonly trigger?: Variant | undefined;
}

/** Which parts of it change from one round to the next. */
const branchEdit = fc.record({
  isDeclared: seldom,
  project: seldom.chain((is) => (is ? seldom : fc.constant(false))),
  origin: seldom,
  name: fc.boolean(),
  protection: fc.boolean(),
  permission: fc.boolean(),
});

/** What a schedule draws for the Branch of each slot: the first round declares `fresh`, and each later one edits it. */
const slotBranch = fc.record({
  fresh: branchPlan,
  edits: fc.array(fc.tuple(branchPlan, branchEdit), { minLength: 3, maxLength: 3 }),
});

export interface BranchDraw {
  /** `reset`: alone, and reset in each round after the first. */
  readonly use: 'none' | 'alone' | 'with endpoint' | 'reset';
  readonly slots: readonly Drawn<typeof slotBranch>[];
  /** Which of the faults, disturbances and forced replacements of a round concern the branch: the bits of a number. */
  readonly bits: number;
}

/** Three in seven schedules have branches. */
export function branchDraw(mostSlots: number): fc.Arbitrary<BranchDraw> {
  return fc.record({
    use: fc.constantFrom<BranchDraw['use']>(
      'none',
      'none',
      'none',
      'none',
      'alone',
      'with endpoint',
      'reset',
    ),
    slots: fc.array(slotBranch, { minLength: mostSlots, maxLength: mostSlots }),
    bits: fc.nat(2 ** 12 - 1),
  });
}

/** What the Branch of a slot declares in the round of this number. */
export function branchPlanOf(
  { use, slots }: BranchDraw,
  slot: number,
  before: BranchPlan | undefined,
  round: number,
): BranchPlan | undefined {
  const drawn = slots[slot];
  if (use === 'none' || !drawn) return undefined;
  const hasEndpoint = use === 'with endpoint';
  // A reset takes the endpoints down, which the rules of restarts don't know.
  const isReset = use === 'reset';
  // Without a branch, nothing could go wrong.
  if (!before) {
    const isDeclared = slot === 0 || drawn.fresh.isDeclared;
    const first = { ...drawn.fresh, isDeclared, hasEndpoint };
    // The parent of a schema-only branch is not known to the service.
    return isReset ? { ...first, isSchemaOnly: false, trigger: 'a' } : first;
  }
  if (isReset) return { ...before, trigger: before.trigger === 'a' ? 'b' : 'a' };
  const [fresh, edit] = drawn.edits[(round - 1) % drawn.edits.length] ?? [drawn.fresh, undefined];
  return {
    hasEndpoint,
    isDeclared: edit?.isDeclared ? fresh.isDeclared : before.isDeclared,
    project: edit?.project ? fresh.project : before.project,
    parent: edit?.origin ? fresh.parent : before.parent,
    lsn: edit?.origin ? fresh.lsn : before.lsn,
    isSchemaOnly: edit?.origin ? fresh.isSchemaOnly : before.isSchemaOnly,
    name: edit?.name ? fresh.name : before.name,
    isProtected: edit?.protection ? fresh.isProtected : before.isProtected,
    allowsDataLoss: edit?.permission ? fresh.allowsDataLoss : before.allowsDataLoss,
  };
}

/** The slot's endpoint is on its Branch, if it has one. */
export function placeOnBranch(plan: SlotPlan, branch: BranchPlan | undefined): SlotPlan {
  if (!branch) return plan;
  const isDeclared = plan.isDeclared && branch.isDeclared && branch.hasEndpoint;
  return { ...plan, isDeclared, project: branch.project, branch: 0 };
}

/** Whether the event of this number concerns the branch. */
export function isOnBranch({ use, bits }: BranchDraw, number: number): boolean {
  if (use !== 'with endpoint') return use !== 'none';
  return ((bits >> (number % 12)) & 1) === 1;
}

/** The fault that does to branches what this one does to endpoints. */
export function toBranchFault(fault: Fault): Fault {
  if (!('path' in fault.match)) return { ...fault, match: { action: 'create_branch' } } as Fault;
  const { path: given = '/**' } = fault.match;
  const path = String(given)
    .replace('/endpoints/:e/:verb', '/branches/:b/restore')
    .replace('/endpoints/:e', '/branches/:b')
    .replace('/endpoints', '/branches');
  return { ...fault, match: { ...fault.match, path } } as Fault;
}

const onBranches: Partial<Record<Disturbance['what'], Disturbance['what']>> = {
  'create an endpoint': 'create a branch',
  'change an endpoint': 'protect a branch',
  'resize an endpoint': 'protect a branch',
  'rename an endpoint': 'rename a branch',
  'delete an endpoint': 'delete a branch',
  'connect to an endpoint': 'create a branch',
};

/** What other people do to branches instead of endpoints. */
export function toBranchDisturbance(disturbance: Disturbance): Disturbance {
  return { ...disturbance, what: onBranches[disturbance.what] ?? disturbance.what };
}
