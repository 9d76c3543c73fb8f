import type { BranchRecord } from './branch-record';
import type { EndpointRecord } from './endpoint-record';
import type { OperationRecord } from './operation-record';
import type { Project } from './wire-types';

export interface ProjectRecord {
  readonly wire: Project;
  /** The default branch, which the API also calls the primary branch. */
  primaryBranchId: string;
  readonly branches: Map<string, BranchRecord>;
  readonly endpoints: Map<string, EndpointRecord>;
  /** Every operation, oldest first. */
  readonly operations: OperationRecord[];
  /** The operations under way, oldest first. */
  readonly unfinished: Set<OperationRecord>;
  readonly deletedBranchIds: Set<string>;
  readonly deletedEndpoints: Map<string, EndpointRecord>;
}

export function endpointsOfBranch(project: ProjectRecord, branchId: string): EndpointRecord[] {
  return [...project.endpoints.values()].filter((endpoint) => endpoint.wire.branch_id === branchId);
}

export function readWriteEndpointOf(project: ProjectRecord, branchId: string): EndpointRecord | undefined {
  return endpointsOfBranch(project, branchId).find(({ wire }) => wire.type === 'read_write');
}

/** The operations under way for an endpoint, oldest first. */
export function unfinishedOf(project: ProjectRecord, endpointId: string): OperationRecord[] {
  return [...project.unfinished].filter(({ step }) => step.endpointId === endpointId);
}
