import type { EndpointRecord } from './endpoint-record';
import type { OperationRecord } from './operation-record';
import type { Branch, Project } from './wire-types';

/** The database and role that every project has from its creation. */
export interface DatabaseAccess {
  readonly databaseId: number;
  readonly databaseName: string;
  readonly roleName: string;
  readonly password: string;
}

export interface ProjectRecord {
  readonly wire: Project;
  readonly primaryBranchId: string;
  readonly database: DatabaseAccess;
  readonly branches: Map<string, Branch>;
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

/** The operations under way for an endpoint, oldest first. */
export function unfinishedOf(project: ProjectRecord, endpointId: string): OperationRecord[] {
  return [...project.unfinished].filter(({ step }) => step.endpointId === endpointId);
}
