import { found, notFound } from './api-error';
import type { Journal } from './journal';
import type { BranchRecord, EndpointRecord, ProjectRecord } from './records';

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

  endpoint(project: ProjectRecord, endpointId: string): EndpointRecord {
    return found(project.endpoints.get(endpointId), `project ${project.wire.id}: endpoint`, endpointId);
  }

  branchAt(path: { project_id: string; branch_id: string }): BranchRecord {
    return this.branch(this.project(path.project_id), path.branch_id);
  }

  endpointAt(path: { project_id: string; endpoint_id: string }): EndpointRecord {
    return this.endpoint(this.project(path.project_id), path.endpoint_id);
  }

  findEndpoint(endpointId: string): EndpointRecord {
    const { project } = this.findEndpointEver(endpointId);
    return found(project.endpoints.get(endpointId), 'endpoint', endpointId);
  }

  findEndpointEver(endpointId: string): EndpointRecord {
    for (const { endpoints, deletedEndpoints } of this.projects.values()) {
      const endpoint = endpoints.get(endpointId) ?? deletedEndpoints.get(endpointId);
      if (endpoint !== undefined) return endpoint;
    }
    throw notFound('endpoint', endpointId);
  }

  addProject(project: ProjectRecord): void {
    this.projects.set(project.wire.id, project);
    this.#journal.noteProject(project);
  }

  removeProject(project: ProjectRecord): void {
    this.projects.delete(project.wire.id);
    project.isDeleted = true;
    this.#journal.noteProject(project);
  }

  addBranch(branch: BranchRecord): void {
    branch.project.branches.set(branch.wire.id, branch);
    this.#journal.noteBranch(branch);
  }

  removeBranch(branch: BranchRecord): void {
    branch.project.branches.delete(branch.wire.id);
    branch.project.deletedBranchIds.add(branch.wire.id);
    this.#journal.noteBranch(branch);
  }

  addEndpoint(endpoint: EndpointRecord): void {
    endpoint.project.endpoints.set(endpoint.wire.id, endpoint);
    this.#journal.noteEndpoint(endpoint);
  }

  removeEndpoint(endpoint: EndpointRecord): void {
    endpoint.project.endpoints.delete(endpoint.wire.id);
    endpoint.project.deletedEndpoints.set(endpoint.wire.id, endpoint);
    this.#journal.noteEndpoint(endpoint);
  }
}
