import { found, notFound } from './api-error';
import type { Journal } from './journal';
import type { BranchRecord, EndpointRecord, ProjectRecord } from './records';

/** A branch and its project. */
export interface BranchPlace {
  readonly project: ProjectRecord;
  readonly branch: BranchRecord;
}

export class Store {
  readonly projects = new Map<string, ProjectRecord>();
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  project(projectId: string): ProjectRecord {
    return found(this.projects.get(projectId), 'project', projectId);
  }

  branch(project: ProjectRecord, branchId: string): BranchRecord {
    return found(project.branches.get(branchId), `project ${project.wire.id}: branch`, branchId);
  }

  place({ project_id, branch_id }: { project_id: string; branch_id: string }): BranchPlace {
    const project = this.project(project_id);
    return { project, branch: this.branch(project, branch_id) };
  }

  endpoint(project: ProjectRecord, endpointId: string): EndpointRecord {
    return found(project.endpoints.get(endpointId), `project ${project.wire.id}: endpoint`, endpointId);
  }

  /** The endpoint and its project, for callers that have only the endpoint's id. */
  findEndpoint(endpointId: string): { project: ProjectRecord; endpoint: EndpointRecord } {
    for (const project of this.projects.values()) {
      const endpoint = project.endpoints.get(endpointId);
      if (endpoint !== undefined) return { project, endpoint };
    }
    throw notFound('endpoint', endpointId);
  }

  /** The endpoint with this id, including deleted ones. */
  findEndpointEver(endpointId: string): EndpointRecord {
    for (const { endpoints, deletedEndpoints } of this.projects.values()) {
      const endpoint = endpoints.get(endpointId) ?? deletedEndpoints.get(endpointId);
      if (endpoint !== undefined) return endpoint;
    }
    throw notFound('endpoint', endpointId);
  }

  /** Adds a project with its primary branch. */
  addProject(project: ProjectRecord): void {
    this.projects.set(project.wire.id, project);
    this.#journal.noteProject(project);
    for (const branch of project.branches.values()) this.#journal.noteBranch(project, branch);
  }

  removeProject(project: ProjectRecord): void {
    this.projects.delete(project.wire.id);
    project.isDeleted = true;
    this.#journal.noteProject(project);
  }

  addBranch(project: ProjectRecord, branch: BranchRecord): void {
    project.branches.set(branch.wire.id, branch);
    this.#journal.noteBranch(project, branch);
  }

  removeBranch(project: ProjectRecord, branchId: string): void {
    const branch = project.branches.get(branchId);
    if (branch === undefined) return;
    project.branches.delete(branchId);
    project.deletedBranchIds.add(branchId);
    this.#journal.noteBranch(project, branch);
  }

  addEndpoint(project: ProjectRecord, endpoint: EndpointRecord): void {
    project.endpoints.set(endpoint.wire.id, endpoint);
    this.#journal.noteEndpoint(project, endpoint);
  }

  removeEndpoint(project: ProjectRecord, endpoint: EndpointRecord): void {
    project.endpoints.delete(endpoint.wire.id);
    project.deletedEndpoints.set(endpoint.wire.id, endpoint);
    this.#journal.noteEndpoint(project, endpoint);
  }
}
