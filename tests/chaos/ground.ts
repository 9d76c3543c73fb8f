import { setTimeout as sleep } from 'node:timers/promises';
import type { Emulator, Endpoint } from 'postgres-control-emulator';
import type { ForeignEndpoint, ForeignOperation } from './foreign-objects';
import type { Round, Scenario } from './scenario';
import { projectCount, type SlotPlan, slotCount } from './slot-plan';
import { SlotTexts } from './slot-texts';

const longestQuietMs = 10_000;

/** What the service has besides the program's endpoints: projects, branches, and objects of other clients. */
export class Ground {
  readonly texts: SlotTexts;
  /** The slots for which the user has set `adopt: true` after a killed create. */
  readonly adopted = new Set<number>();
  readonly #emulator: Emulator;
  readonly #projects: readonly { id: string; branchIds: readonly string[] }[];
  readonly #foreign = new Map<string, Endpoint>();
  readonly #foreignOperationIds = new Set<string>();

  constructor(emulator: Emulator, seed: number, { traits }: Scenario) {
    this.#emulator = emulator;
    this.texts = new SlotTexts(seed, traits);
    this.#projects = Array.from({ length: projectCount }, (_, index) => {
      const project = emulator.createProject({ name: `project-${index}` });
      const branches = Array.from({ length: slotCount * 2 }, (_unused, number) =>
        emulator.createBranch(project.id, { name: `branch-${number}` }),
      );
      return { id: project.id, branchIds: branches.map(({ id }) => id) };
    });
    for (const endpoint of emulator.endpoints()) this.#foreign.set(endpoint.id, endpoint);
  }

  place(slot: number, { project, branch }: Pick<SlotPlan, 'project' | 'branch'>) {
    const { id, branchIds } = this.#project(project);
    const branchId = branchIds[slot * 2 + branch];
    if (branchId === undefined) throw new Error(`slot ${slot} has no branch ${branch}`);
    return { projectId: id, branchId };
  }

  /** The endpoints of other clients, as they were when created. */
  get foreign(): readonly Endpoint[] {
    return [...this.#foreign.values()];
  }

  /** The program's endpoints. */
  own(): Endpoint[] {
    return this.#emulator.endpoints().filter(({ id }) => !this.#foreign.has(id));
  }

  /** Whether an endpoint of another client has the name that the program declares for the slot. */
  isTaken(slot: number, { name, project }: SlotPlan): boolean {
    if (!name) return false;
    const given = this.texts.name(slot, project, name);
    const { id } = this.#project(project);
    return this.foreign.some((endpoint) => endpoint.project_id === id && endpoint.name === given);
  }

  /** Adds endpoints and operations of other clients. Returns how many it added. */
  addForeign({ foreignEndpoints, foreignOperations }: Round, { traits }: Scenario): number {
    const addedEndpoints = foreignEndpoints.filter((endpoint) =>
      this.#addEndpoint(endpoint, traits[endpoint.slot]?.isShared === true),
    );
    for (const operation of foreignOperations) this.#addOperation(operation);
    return addedEndpoints.length + foreignOperations.length;
  }

  /** Connects a client to every idle endpoint of the program, which wakes it. */
  async wake(): Promise<void> {
    for (const { id, current_state } of this.own()) if (current_state === 'idle') this.#emulator.connect(id);
    await this.settle();
  }

  /** Waits until the operations of the program's endpoints have finished, for at most `longestQuietMs`. */
  async settle(): Promise<void> {
    const end = Date.now() + longestQuietMs;
    while (this.ownOperations().some(({ status }) => !finalStatuses.has(status)) && Date.now() < end)
      await sleep(20);
  }

  /** The operations of the program's endpoints, newest first. */
  ownOperations() {
    const ids = new Set(this.own().map(({ id }) => id));
    const all = this.#projects.flatMap(({ id }) => this.#emulator.operations(id));
    return all.filter(
      ({ id, endpoint_id = '' }) => !this.#foreignOperationIds.has(id) && ids.has(endpoint_id),
    );
  }

  /** Returns whether the service's rules allow it. */
  #addEndpoint({ slot, project, type, name, ageMs }: ForeignEndpoint, isShared: boolean): boolean {
    const { id } = this.#project(project);
    const given = name === 'own' ? `others-${slot}` : name && this.texts.name(slot, project, name);
    // Names are unique in a project.
    if (given && this.#emulator.endpoints(id).some((endpoint) => endpoint.name === given)) return false;
    const isBeside = isShared && type === 'read_only';
    const branchId = isBeside
      ? this.place(slot, { project, branch: 0 }).branchId
      : this.#emulator.createBranch(id).id;
    const attributes = { branch_id: branchId, type, ...(given && { name: given }) };
    const endpoint = this.#emulator.createEndpoint(id, attributes, { ageMs });
    this.#foreign.set(endpoint.id, endpoint);
    return true;
  }

  #addOperation({ project, about, action, status, ageMs, locksForMs }: ForeignOperation): void {
    const { id } = this.#project(project);
    const own = this.own().find(({ project_id }) => project_id === id);
    const foreign = this.foreign.find(({ project_id }) => project_id === id);
    const subject = { 'the project': undefined, 'a foreign endpoint': foreign, 'a slot': own }[about];
    const added = this.#emulator.addOperation(id, {
      // The only operation that the service starts on an endpoint by itself.
      action: subject && subject === own ? 'check_availability' : action,
      status,
      ageMs,
      ...(subject && { endpointId: subject.id }),
      ...(locksForMs !== undefined && { locks: true }),
    });
    this.#foreignOperationIds.add(added.operation.id);
    if (locksForMs !== undefined) void sleep(locksForMs, undefined, { ref: false }).then(added.finish);
  }

  #project(index: number) {
    const project = this.#projects[index];
    if (!project) throw new Error(`project ${index} does not exist`);
    return project;
  }
}

const finalStatuses: ReadonlySet<string> = new Set(['finished', 'skipped', 'failed', 'error', 'cancelled']);
