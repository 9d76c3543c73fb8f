import { isMatch } from 'lodash';
import type { Branch, Operation } from 'postgres-control-emulator';
import { failedStatuses } from '../../support/operation';
import type { BranchPlan } from '../scenario/branch-plan';
import type { Variant } from '../scenario/slot-plan';
import type { SlotTexts } from '../scenario/slot-texts';
import type { ServedPlane } from '../service/served-plane';

/** The projects as the ground knows them. */
interface Projects {
  readonly texts: SlotTexts;
  project(index: number): { readonly id: string; readonly parentIds: ReadonlyMap<Variant, string> };
}

/** The branches of the programs and of other people. */
export class BranchGround {
  /** What the programs declare now, by slot. */
  plans: readonly BranchPlan[] = [];
  /** The names that the user has given with `adopt: true` after a killed create, by slot. */
  readonly adopted = new Map<number, string>();
  /** The slots for which the user has set `allowDataLoss: true` because an error advised it. */
  readonly allowed = new Set<number>();
  /** The slots for whose branch the user has set `protected: false` because an error advised it. */
  readonly unprotected = new Set<number>();
  /** The branches whose protection other people have changed: the program may not declare any. */
  readonly protectedByOthers = new Set<string>();
  readonly #service: ServedPlane;
  readonly #projects: Projects;
  readonly #slots = new Map<string, number>();
  readonly #foreign = new Map<string, Branch>();

  constructor(service: ServedPlane, projects: Projects) {
    this.#service = service;
    this.#projects = projects;
  }

  /** What the slot declares now; undefined if it declares no Branch. */
  declared(slot: number): BranchPlan | undefined {
    const plan = this.plans[slot];
    return plan?.isDeclared ? plan : undefined;
  }

  /** A create of the provider has made this branch. Its derived name holds that of the resource. */
  noteCreated({ id, name }: Branch): number | undefined {
    const [, slot] = /branch-(\d)/.exec(name) ?? [];
    if (slot !== undefined) this.#slots.set(id, Number(slot));
    return slot === undefined ? undefined : Number(slot);
  }

  slotOf(branchId: string): number | undefined {
    return this.#slots.get(branchId);
  }

  get foreign(): readonly Branch[] {
    return [...this.#foreign.values()];
  }

  isDeleting(branchId: string): boolean {
    return this.#service.endpoints.some(({ wire, deleting }) => wire.branch_id === branchId && deleting);
  }

  /** Every branch that the service has now. */
  held(): Branch[] {
    return this.#service.branches.map(({ wire }) => wire);
  }

  find(branchId: string): Branch | undefined {
    return this.held().find(({ id }) => id === branchId);
  }

  /** The branches of the programs; of one slot, if it is given. */
  own(slot?: number): Branch[] {
    if (this.#slots.size === 0) return [];
    return this.held().filter(({ id }) => {
      const at = this.#slots.get(id);
      return at !== undefined && (slot === undefined || at === slot);
    });
  }

  /** The name that the program declares, if it does. */
  name(slot: number, plan: BranchPlan): string | undefined {
    return plan.name && this.#projects.texts.name(slot, plan.project, plan.name, 'branch');
  }

  /** The arguments of the slot's Branch, with a marker around each secret. */
  arguments(slot: number, plan: BranchPlan) {
    const { id, parentIds } = this.#projects.project(plan.project);
    const adopted = this.adopted.get(slot);
    const { texts } = this.#projects;
    return {
      projectId: id,
      ...(plan.parent && { parentId: parentIds.get(plan.parent) }),
      ...(plan.lsn && { parentLsn: plan.lsn }),
      initSource: plan.isSchemaOnly ? 'schema-only' : 'parent-data',
      ...(adopted !== undefined && { name: adopted, adopt: true }),
      ...(plan.name && { name: texts.branchName(slot, plan.project, plan.name) }),
      ...(plan.isProtected !== undefined && { protected: plan.isProtected }),
      ...(this.unprotected.has(slot) && { protected: false }),
      ...(plan.trigger && !plan.isSchemaOnly && { resetTriggers: { release: plan.trigger } }),
      ...((plan.allowsDataLoss || this.allowed.has(slot)) && { allowDataLoss: true }),
    };
  }

  /** Whether the branch has another origin than the slot declares, so that it has to be replaced. */
  hasOtherOrigin(slot: number, plan: BranchPlan, branch: Branch): boolean {
    const { projectId, parentId, parentLsn, initSource } = this.arguments(slot, plan);
    if (branch.project_id !== projectId || branch.init_source !== initSource) return true;
    const { sourceId } = this.#service.plane.store.project(projectId).branches.get(branch.id) ?? {};
    if (parentId !== undefined && sourceId !== parentId) return true;
    const isReset = branch.last_reset_at !== undefined;
    return parentLsn !== undefined && !isReset && branch.parent_lsn !== parentLsn;
  }

  /** How the branch that the service has differs from what the slot declares. */
  findDifference(slot: number, plan: BranchPlan, held: Branch): string | undefined {
    const name = this.name(slot, plan);
    const isFree = plan.isProtected === undefined && this.protectedByOthers.has(held.id);
    const { protected: isProtected = false } = this.arguments(slot, plan);
    const declared = {
      current_state: 'ready',
      ...(!isFree && { protected: isProtected }),
      ...(name && { name }),
    };
    if (held.name.endsWith('-creating')) return `still has the name ${held.name}`;
    // The service does not show the source of a schema, so one that is adopted may have another.
    const shown = plan.isSchemaOnly ? { ...plan, parent: undefined, lsn: undefined } : plan;
    if (isMatch(held, declared) && !this.hasOtherOrigin(slot, shown, held)) return undefined;
    return `differs from its declaration: ${JSON.stringify(held)}, declared ${JSON.stringify(plan)}`;
  }

  /** The operation that creates the data of a branch. */
  creationOf(branchId: string): Operation | undefined {
    const all = this.#service.operations.map(({ wire }) => wire);
    return all.find((wire) => wire.branch_id === branchId && wire.action === 'create_branch');
  }

  /** Whether it has no data: its creation has failed. */
  isBroken(branchId: string): boolean {
    const branch = this.find(branchId);
    const { status = '' } = this.creationOf(branchId) ?? {};
    return branch?.current_state === 'init' && failedStatuses.includes(status);
  }

  /** Other people rename their branch. Returns whether it is theirs. */
  renameForeign(id: string): boolean {
    const { project_id, name } = this.#foreign.get(id) ?? {};
    if (project_id === undefined) return false;
    const change = { name: `${name}-of-others` };
    this.#foreign.set(id, this.#service.controls.changeBranch(project_id, id, change));
    return true;
  }

  /** Other people create a branch of this name. Returns its id, or undefined where the name is taken. */
  addForeign(project: number, name: string): string | undefined {
    const { id } = this.#projects.project(project);
    if (this.held().some((branch) => branch.project_id === id && branch.name === name)) return undefined;
    const branch = this.#service.controls.createBranch(id, { name });
    this.#foreign.set(branch.id, branch);
    return branch.id;
  }
}
