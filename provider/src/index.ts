// The resources first: the API reference keeps this order.

export { Branch } from './resources/branch';
export type {
  BranchArgs,
  BranchInitSource,
  BranchLocation,
  BranchRestoreSource,
} from './resources/branch-args';
export { ComputeEndpoint } from './resources/compute-endpoint';
export type {
  ComputeEndpointArgs,
  ComputeEndpointLocation,
  ComputeEndpointTimeouts,
  ComputeEndpointType,
  PreloadLibraries,
} from './resources/compute-endpoint-args';
export { Database } from './resources/database';
export type { DatabaseArgs, DatabaseLocation } from './resources/database-args';
export { Role } from './resources/role';
export type { RoleArgs, RoleLocation } from './resources/role-args';

// What belongs to them.

export { ControlApiError } from './control-api/control-api-error';
export type { FailureMeaning } from './control-api/failure-meaning';
export { type ComputeSize, computeSizes, type SizeOutput } from './endpoint/compute-size';
export type { UnsettledOperation } from './lifecycle/resource-state';
export type { ConnectionResources, NamedResource } from './lookups/connection-resources';
export {
  getBranch,
  getBranches,
  getComputeEndpoint,
  getComputeEndpoints,
  getConnectionUri,
  getProject,
  getProjects,
} from './lookups/get-by-stack';
export type { BranchState } from './lookups/live-branch';
export type { ConnectionUri } from './lookups/live-connection-uri';
export type { ComputeEndpointState } from './lookups/live-endpoint';
export type { ProjectState } from './lookups/live-project';
export type { OperationFilter } from './lookups/operation-filter';
export {
  getOperation,
  getOperations,
  listOperations,
  type OperationWaitOptions,
  waitForOperation,
  waitForOperations,
} from './lookups/operation-lookup';
export type { OperationState } from './lookups/operation-state';
export { OperationWaitError } from './lookups/operation-wait-error';
