import { maxBy } from 'lodash';
import type { Branch, Endpoint, ForeignOperation, Operation } from 'postgres-control-emulator';
import type { Controls } from '../../../emulator/src/controls/controls';
import type { EndpointRecord } from '../../../emulator/src/records/records';
import type { Disturbance } from '../scenario/other-people';
import type { Round, Scenario } from '../scenario/scenario';
import type { SlotPlan, Variant } from '../scenario/slot-plan';
import { SlotTexts } from '../scenario/slot-texts';
import type { ServedPlane } from '../service/served-plane';
import { BranchGround } from './branch-ground';

interface GroundProject {
  readonly id: string;
  /** By slot and number of the branch. */
  readonly branchIds: ReadonlyMap<string, string>;
  /** The branches from which the programs create theirs. */
  readonly parentIds: ReadonlyMap<Variant, string>;
  /** Branches for the endpoints of other people. */
  readonly otherBranchIds: string[];
}

/** What the service has besides the programs' endpoints, and which endpoint belongs to which slot. */
export class Ground {
  readonly texts: SlotTexts;
  readonly branches: BranchGround;
  /** The branch that the states have for a slot's Branch. */
  branchInState: (slot: number) => string | undefined = () => undefined;
  /** The names that the user has given with `adopt: true` after a killed create, by slot. */
  readonly adopted = new Map<number, string>();
  /** The slots for which the user has set the resource option `replaceOnChanges`. */
  readonly replacedOnChanges = new Set<number>();
  /** Whether the programs say `allowRestart: false`. */
  isGuarded = false;
  readonly controls: Controls;
  readonly #service: ServedPlane;
  readonly #rounds: readonly Round[];
  readonly #projects = new Map<number, GroundProject>();
  readonly #foreign = new Map<string, Endpoint>();
  readonly #slotOfBranch = new Map<string, number>();
  readonly #foreignOperationIds = new Set<string>();

  constructor(service: ServedPlane, { traits, rounds }: Scenario) {
    this.#service = service;
    this.controls = service.controls;
    this.#rounds = rounds;
    this.texts = new SlotTexts(traits);
    this.branches = new BranchGround(service, this);
  }

  /** The project and the branch of a slot. Each slot has two branches of its own in each project. */
  place(slot: number, { project, branch }: Pick<SlotPlan, 'project' | 'branch'>) {
    const { id, branchIds } = this.project(project);
    const isOnBranch = this.branches.plans[slot]?.hasEndpoint === true;
    if (isOnBranch) return { projectId: id, branchId: this.branchInState(slot) ?? 'br-none' };
    const branchId = branchIds.get(`${slot} ${branch}`);
    if (branchId === undefined) throw new Error(`slot ${slot} has no branch ${branch}`);
    return { projectId: id, branchId };
  }

  /** The project; the first call creates it. */
  project(index: number): GroundProject {
    const known = this.#projects.get(index);
    if (known) return known;
    const { id } = this.controls.createProject({ name: `project-${index}` });
    for (const endpoint of this.controls.endpoints(id)) this.#foreign.set(endpoint.id, endpoint);
    const branchIds = new Map<string, string>();
    // Now, because later the project may be locked.
    for (const { slots } of this.#rounds)
      for (const [slot, plan] of slots.entries()) {
        for (const branch of [0, plan.branch]) {
          const key = `${slot} ${branch}`;
          if (plan.project !== index || branchIds.has(key)) continue;
          const branchId = this.controls.createBranch(id).id;
          branchIds.set(key, branchId);
          this.#slotOfBranch.set(branchId, slot);
        }
      }
    const others = this.#rounds.flatMap(({ disturbances }) =>
      disturbances.filter(({ what }) => what === 'create an endpoint'),
    );
    const otherBranchIds = others.map(() => this.controls.createBranch(id).id);
    const parentIds = new Map<Variant, string>();
    if (this.#rounds.some(({ branches }) => branches.length > 0))
      for (const variant of ['a', 'b'] as const)
        parentIds.set(variant, this.controls.createBranch(id, { name: `parent-${variant}` }).id);
    const project = { id, branchIds, parentIds, otherBranchIds };
    this.#projects.set(index, project);
    return project;
  }

  /** The endpoints of other people, as they were when they were created or renamed. */
  get foreign(): readonly Endpoint[] {
    return [...this.#foreign.values()];
  }

  /** Whether it is another client's. A branch is the programs' if one of their creates has made it. */
  isForeign(id: string): boolean {
    return this.#foreign.has(id) || (!this.exists(id) && this.branches.slotOf(id) === undefined);
  }

  /** Whether the service has this endpoint or branch. */
  holds(id: string): boolean {
    return this.exists(id) || this.branches.find(id) !== undefined;
  }

  /** Whether the service has it, and is not deleting it. */
  remains(id: string): boolean {
    return this.holds(id) && !this.isDeleting(id) && !this.branches.isDeleting(id);
  }

  /** Whether the service has suspended the compute because it was idle. */
  wasAutosuspended(endpointId: string): boolean {
    return this.#suspensionsByTimer().some(({ step }) => step.endpointId === endpointId);
  }

  /** Whether it is such a suspension, which no run asks for. */
  isOfTimer(operationId: string): boolean {
    return this.#suspensionsByTimer().some(({ wire }) => wire.id === operationId);
  }

  #suspensionsByTimer() {
    return this.#service.operations.filter(({ step }) => step.isAutosuspend === true);
  }

  isDeleting(endpointId: string): boolean {
    return this.records().some(({ wire, deleting }) => wire.id === endpointId && deleting);
  }

  exists(endpointId: string): boolean {
    return this.records().some(({ wire }) => wire.id === endpointId);
  }

  /** Every endpoint that the service has now. */
  records(): EndpointRecord[] {
    return this.#service.endpoints;
  }

  /** The endpoints of the programs; of one slot, if it is given. */
  own(slot?: number): Endpoint[] {
    const own = this.records().flatMap(({ wire }) => (this.#foreign.has(wire.id) ? [] : [wire]));
    return slot === undefined ? own : own.filter((endpoint) => this.slotOf(endpoint) === slot);
  }

  slotOf({ branch_id }: Pick<Endpoint, 'branch_id'>): number | undefined {
    return this.#slotOfBranch.get(branch_id) ?? this.branches.slotOf(branch_id);
  }

  /** Whether the latest configuration of the endpoint has been applied, if there was one. */
  isConfigured(endpointId: string): boolean {
    const configurations = this.ownOperations().filter(
      ({ action, endpoint_id }) => action === 'apply_config' && endpoint_id === endpointId,
    );
    const latest = maxBy(configurations, ({ created_at }) => Date.parse(created_at));
    return latest === undefined || latest.status === 'finished';
  }

  /** The operations of the programs' endpoints and branches. */
  ownOperations(): Operation[] {
    const ids = new Set([...this.own(), ...this.branches.own()].map(({ id }) => id));
    return this.#service.operations
      .map(({ wire }) => wire)
      .filter(
        ({ id, branch_id = '', endpoint_id = branch_id }) =>
          !this.#foreignOperationIds.has(id) && ids.has(endpoint_id),
      );
  }

  /** Adds another client's endpoint. Returns its id, or undefined where the rules of the service forbid it. */
  addEndpoint({ slot, type, name }: Disturbance, plan: SlotPlan, isShared: boolean): string | undefined {
    const { id, otherBranchIds } = this.project(plan.project);
    const declared = name && this.texts.name(slot, plan.project, plan.name ?? (name === 'own' ? 'a' : name));
    const given = name === 'own' ? `others-${slot}` : declared;
    const isBeside = isShared && type === 'read_only' && this.branches.plans.length === 0;
    const branchId = isBeside
      ? this.place(slot, { project: plan.project, branch: 0 }).branchId
      : otherBranchIds.shift();
    if (branchId === undefined) return undefined;
    // At the same place, no user could tell which of two endpoints of one name is the program's.
    const isSame = ({ wire }: EndpointRecord) => wire.branch_id === branchId && wire.name === given;
    if (given && this.records().some(isSame)) return undefined;
    const attributes = { branch_id: branchId, type, ...(given && { name: given }) };
    const endpoint = this.controls.createEndpoint(id, attributes);
    this.#foreign.set(endpoint.id, endpoint);
    return endpoint.id;
  }

  /** Other people delete a branch, with its endpoints, at once. Undefined where the service refuses: a reset needs the branch. */
  deleteBranch({ id, project_id, current_state }: Branch): string | undefined {
    if (current_state === 'resetting') return undefined;
    for (const { wire } of this.records()) if (wire.branch_id === id) this.controls.deleteEndpoint(wire.id);
    this.#service.deleteBranch(project_id, id);
    return id;
  }

  /** Adds operations of other clients, so many that the newest page of the project shows nothing else. */
  fillPage(projectId: string, length: number): void {
    for (let count = 0; count < length; count += 1) {
      const added = this.controls.addOperation(projectId, { action: 'create_branch', status: 'finished' });
      this.#foreignOperationIds.add(added.operation.id);
    }
  }

  /** Adds another client's operation. Returns a function that ends it. */
  addOperation(project: number, operation: ForeignOperation): () => void {
    const added = this.controls.addOperation(this.project(project).id, operation);
    this.#foreignOperationIds.add(added.operation.id);
    return added.finish;
  }
}
