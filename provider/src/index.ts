export {
  ComputeEndpoint,
  type ComputeEndpointArgs,
  type ComputeEndpointLocation,
  type ComputeEndpointTimeouts,
  type ComputeEndpointType,
} from './compute-endpoint';
export type { ComputeEndpointState } from './compute-endpoint-state';
export { type ComputeSize, computeSizes, type SizeOutput } from './compute-size';
export { ControlApiError } from './control-api/control-api-error';
export type { FailureMeaning } from './control-api/failure-meaning';
export type { UnsettledOperation } from './endpoint-state';
export { getComputeEndpoint, getComputeEndpoints } from './lookup';
export {
  getOperation,
  getOperations,
  listOperations,
  type OperationWaitOptions,
  waitForOperation,
  waitForOperations,
} from './operation-lookup';
export type { OperationState } from './operation-state';
export type { OperationFilter } from './operations/operation-filter';
export { OperationWaitError } from './operations/operation-wait-error';
