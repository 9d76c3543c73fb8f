import { addBranch, updateBranch } from '../control-plane/branches';
import { localConnectionUri } from '../control-plane/connection-uris';
import type { ControlPlane } from '../control-plane/control-plane';
import { applyAttributes } from '../control-plane/endpoint-changes';
import { addEndpoint, checkNewEndpointRequest, removeEndpoint } from '../control-plane/endpoints';
import { connectToEndpoint } from '../control-plane/power-commands';
import { addProject } from '../control-plane/projects';
import { showEndpoint, showOperations } from '../control-plane/response-bodies';
import { checkPgSettings } from '../control-plane/verify-settings';
import { type Fault, type InjectedFault, parseFault } from '../faults/faults';
import type { LoggedRequest, RequestLog } from '../http/log-requests';
import { toTimestamp } from '../records/clock';
import type { Branch, Endpoint, Operation, Project } from '../records/wire-types';
import { BRANCH_CHANGE, type BranchChange } from '../requests/branch-attributes';
import {
  ENDPOINT_CHANGE,
  type EndpointAttributes,
  NEW_ENDPOINT,
  type NewEndpointAttributes,
} from '../requests/endpoint-attributes';
import { NEW_PROJECT, type NewProject } from '../requests/project-attributes';
import { parse } from '../validation/parse';
import {
  type Accepted,
  id,
  requiredAttributes,
  text,
  textOfLength,
  wholeNumber,
} from '../validation/schemas';

const TEN_YEARS_MS = 10 * 365 * 24 * 3600 * 1000;
const name = textOfLength(1, 64);

const OPERATION = {
  /** Any text of 1 to 64 characters, such as `create_branch`. */
  action: name,
  /** Any text of 1 to 64 characters, including a status that the API does not know. */
  status: name,
  /** @default none */
  error: text.exactOptional(),
  /** An endpoint of the project. @default none */
  endpointId: id.exactOptional(),
};
const ENDPOINT_OPTIONS = {
  /** How long ago it was created, in milliseconds. @default 0 */
  ageMs: wholeNumber(0, TEN_YEARS_MS).exactOptional(),
};

/**
 * An operation of another client.
 * @interface
 */
export type ForeignOperation = Accepted<typeof OPERATION>;

/** @interface */
export type ForeignEndpointOptions = Accepted<typeof ENDPOINT_OPTIONS>;

/** An operation of another client, as it was added. */
export interface AddedOperation {
  readonly operation: Operation;
  finish(): void;
}

/** Controls outside the API, for tests and administrators. Every control acts at once and ignores locks. */
export class Controls {
  readonly #plane: ControlPlane;
  readonly #log: RequestLog;

  constructor(plane: ControlPlane, log: RequestLog) {
    this.#plane = plane;
    this.#log = log;
  }

  /** Every project. */
  projects(): Project[] {
    return [...this.#plane.store.projects.values()].map(({ wire }) => structuredClone(wire));
  }

  /** The branches of a project. */
  branches(projectId: string): Branch[] {
    const { branches } = this.#plane.store.project(projectId);
    return [...branches.values()].map(({ wire }) => structuredClone(wire));
  }

  /** The endpoints of one project, or of all. */
  endpoints(projectId?: string): Endpoint[] {
    const { store } = this.#plane;
    const projects = projectId === undefined ? [...store.projects.values()] : [store.project(projectId)];
    return projects.flatMap(({ endpoints }) => [...endpoints.values()].map(showEndpoint));
  }

  /** The operations of a project, newest first. */
  operations(projectId: string): Operation[] {
    return showOperations(this.#plane.store.project(projectId).operations).reverse();
  }

  /** The requests to the API, oldest first. */
  requests(): LoggedRequest[] {
    return this.#log.list();
  }

  /** How often one request took the compute of an endpoint down and brought it up again. Works for deleted endpoints too. */
  restarts(endpointId: string): number {
    return this.#plane.store.findEndpointEver(endpointId).restarts;
  }

  /**
   * How often the connections to an endpoint dropped: restarts, suspensions, moves, disabling and deletion of an active
   * compute. Autosuspend does not count, because it waits until no client is connected. With the option `postgres`, it is
   * the number of clients that were disconnected, including by autosuspend.
   */
  connectionDrops(endpointId: string): number {
    return this.#plane.store.findEndpointEver(endpointId).connectionDrops;
  }

  /**
   * A connection string with which every client on this machine reaches the endpoint's Postgres, even one that does not
   * resolve the endpoint's host or trust its certificate: to the address of this emulator, without TLS. As the owner of
   * the branch's first database.
   * @throws Error without the option `postgres`; ApiError when the endpoint does not exist, or its branch has no database
   */
  localConnectionUri(endpointId: string): string {
    return localConnectionUri(this.#plane, this.#plane.store.findEndpoint(endpointId));
  }

  /**
   * Creates a project with its primary branch and that branch's endpoint. All its operations have finished.
   * @throws ApiError when an attribute is invalid
   */
  createProject(project: NewProject = {}): Project {
    const requested = NEW_PROJECT.read(project);
    checkPgSettings(this.#plane, requested.default_endpoint_settings);
    const work = addProject(this.#plane, requested);
    this.#plane.runner.recordFinished(work.project, work.steps);
    return structuredClone(work.project.wire);
  }

  /**
   * Creates a branch without an endpoint. All its operations have finished.
   * @throws ApiError when another branch of the project has the name
   */
  createBranch(projectId: string, branch: { name?: string; parentId?: string } = {}): Branch {
    const project = this.#plane.store.project(projectId);
    const { parentId: parent_id, ...others } = branch;
    const requested = { ...others, ...(parent_id !== undefined && { parent_id }), endpoints: [] };
    const work = addBranch(this.#plane, project, requested, 'none');
    this.#plane.runner.recordFinished(project, work.steps);
    return structuredClone(work.branch.wire);
  }

  /**
   * Changes the name, the protection or the expiration of a branch outside the API.
   * @throws ApiError when another branch of the project has the name
   */
  changeBranch(projectId: string, branchId: string, change: BranchChange): Branch {
    const branch = this.#plane.store.branchAt({ project_id: projectId, branch_id: branchId });
    return structuredClone(updateBranch(this.#plane, branch, BRANCH_CHANGE.read(change), 'none'));
  }

  /**
   * Creates an endpoint as another client: at once, without an operation, and active (idle if `disabled`). The rules of
   * the service apply; its locks do not. Its autosuspend delay starts now.
   * @throws ApiError when an attribute is invalid, or the branch already has a read_write endpoint
   */
  createEndpoint(
    projectId: string,
    attributes: NewEndpointAttributes,
    options: ForeignEndpointOptions = {},
  ): Endpoint {
    const { clock, journal, autosuspend, store } = this.#plane;
    const project = store.project(projectId);
    const { ageMs = 0 } = parse(requiredAttributes(ENDPOINT_OPTIONS).strict(), options, 'options');
    const requested = NEW_ENDPOINT.read(attributes);
    checkPgSettings(this.#plane, requested.settings);
    checkNewEndpointRequest(this.#plane, project, requested, 'none');
    const created = toTimestamp(clock.nextMicros() - ageMs * 1000);
    const endpoint = addEndpoint(this.#plane, project, requested, created);
    const { wire } = endpoint;
    if (!wire.disabled)
      Object.assign(wire, { current_state: 'active', last_active: created, started_at: created });
    journal.noteEndpoint(endpoint);
    autosuspend.noteActivity(endpoint);
    autosuspend.arm(endpoint);
    return showEndpoint(endpoint);
  }

  /**
   * Adds an operation of another client, of any action and status. Unless its status means that it has ended, it locks
   * writes and keeps its status until `finish` is called.
   * @throws ApiError when an attribute is invalid
   */
  addOperation(projectId: string, requested: ForeignOperation): AddedOperation {
    const { runner, store } = this.#plane;
    const project = store.project(projectId);
    const read = parse(requiredAttributes(OPERATION).strict(), requested, 'operation');
    const { action, endpointId, ...result } = read;
    const endpoint = endpointId === undefined ? undefined : store.endpoint(project, endpointId);
    const branchId = endpoint?.wire.branch_id ?? project.primaryBranchId;
    const step = { action, branchId, ...(endpointId !== undefined && { endpointId }) };
    const { operation, finish } = runner.hold(project, step, result);
    return { operation: { ...operation.wire }, finish };
  }

  /** Changes attributes of an endpoint outside the API: at once, without an operation. */
  changeEndpoint(endpointId: string, attributes: EndpointAttributes): Endpoint {
    const endpoint = this.#plane.store.findEndpoint(endpointId);
    const requested = ENDPOINT_CHANGE.read(attributes);
    checkPgSettings(this.#plane, requested.settings);
    if (requested.branch_id !== undefined) this.#plane.store.branch(endpoint.project, requested.branch_id);
    applyAttributes(endpoint, requested);
    endpoint.wire.updated_at = this.#plane.clock.now();
    this.#plane.journal.noteEndpoint(endpoint);
    this.#plane.autosuspend.arm(endpoint);
    return showEndpoint(endpoint);
  }

  /** Deletes an endpoint outside the API: at once, without an operation. */
  deleteEndpoint(endpointId: string): void {
    removeEndpoint(this.#plane, this.#plane.store.findEndpoint(endpointId));
  }

  /** Connects a client: starts an idle compute with start_compute, and counts as activity. */
  connect(endpointId: string): Operation[] {
    const endpoint = this.#plane.store.findEndpoint(endpointId);
    return showOperations(connectToEndpoint(this.#plane, endpoint).operations);
  }

  /** Locks a project with a create_branch operation, which runs until the returned function is called. */
  lockProject(projectId: string): () => void {
    return this.addOperation(projectId, { action: 'create_branch', status: 'running' }).finish;
  }

  /**
   * Injects a fault; the type `Fault` lists them all.
   * @throws ApiError when the fault is invalid
   */
  inject(fault: Fault): InjectedFault {
    return this.#plane.faults.inject(parseFault(fault));
  }

  /** The injected faults that have not been cleared. */
  faults(): InjectedFault[] {
    return this.#plane.faults.list();
  }
}
