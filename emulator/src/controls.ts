import { showEndpoint, showOperations } from './answers';
import { addBranch } from './branches';
import type { ControlPlane } from './control-plane';
import { type EndpointAttributes, readEndpointChange } from './endpoint-attributes';
import { applyAttributes } from './endpoint-changes';
import { connectToEndpoint } from './endpoint-power';
import { removeEndpoint } from './endpoints';
import { parseFault } from './faults/fault-parsing';
import type { Fault, InjectedFault } from './faults/faults';
import type { LoggedRequest, RequestLog } from './http/request-log';
import { addProject, type NewProject } from './projects';
import type { Branch, Endpoint, Operation, Project } from './wire';

/** What a test or an administrator can see and do beside the API. Nothing here waits, and no lock applies. */
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

  /** How often the compute of an endpoint went down and came up again by one request; deleted endpoints count too. */
  restarts(endpointId: string): number {
    return this.#plane.store.findEndpointEver(endpointId).restarts;
  }

  /**
   * How often the connections to an endpoint dropped: restarts, suspensions, moves, disabling and deletion of an active
   * compute. Autosuspend is none, as it waits until nobody is connected.
   */
  connectionDrops(endpointId: string): number {
    return this.#plane.store.findEndpointEver(endpointId).connectionDrops;
  }

  /** Makes a project whose operations have all finished, with its primary branch and that branch's endpoint. */
  createProject(project: NewProject = {}): Project {
    const work = addProject(this.#plane, project);
    this.#plane.runner.runAtOnce(work.project, work.steps);
    return structuredClone(work.project.wire);
  }

  /** Makes a branch without an endpoint, whose operations have all finished. */
  createBranch(projectId: string, branch: { name?: string; parentId?: string } = {}): Branch {
    const project = this.#plane.store.project(projectId);
    const work = addBranch(this.#plane, project, { ...branch, endpoints: [] });
    this.#plane.runner.runAtOnce(project, work.steps);
    return structuredClone(work.branch);
  }

  /** Changes attributes behind the user's back: at once, without an operation. */
  changeEndpoint(endpointId: string, attributes: EndpointAttributes): Endpoint {
    const { project, endpoint } = this.#plane.store.findEndpoint(endpointId);
    applyAttributes(endpoint, readEndpointChange({ ...attributes }, 'reject'));
    endpoint.wire.updated_at = this.#plane.clock.now();
    this.#plane.journal.noteEndpoint(project, endpoint);
    this.#plane.autosuspend.arm(project, endpoint);
    return showEndpoint(endpoint);
  }

  /** Deletes an endpoint behind the user's back: at once, without an operation. */
  deleteEndpoint(endpointId: string): void {
    const { project, endpoint } = this.#plane.store.findEndpoint(endpointId);
    removeEndpoint(this.#plane, project, endpoint);
  }

  /** A client connects: wakes an idle compute by start_compute, and counts as activity. */
  connect(endpointId: string): Operation[] {
    const { project, endpoint } = this.#plane.store.findEndpoint(endpointId);
    return showOperations(connectToEndpoint(this.#plane, project, endpoint).operations);
  }

  /** Locks a project by a create_branch operation that runs until the returned function is called. */
  lockProject(projectId: string): () => void {
    const project = this.#plane.store.project(projectId);
    return this.#plane.runner.hold(project, { action: 'create_branch', branchId: project.primaryBranchId })
      .release;
  }

  /**
   * Asks for a fault; the type `Fault` has all that there are.
   * @throws ApiError when the fault makes no sense
   */
  inject(fault: Fault): InjectedFault {
    return this.#plane.faults.inject(parseFault(fault));
  }

  /** The faults in force. */
  faults(): InjectedFault[] {
    return this.#plane.faults.list();
  }
}
