export {
  ComputeEndpoint,
  type ComputeEndpointArgs,
  type ComputeEndpointLocation,
  type ComputeEndpointTimeouts,
  type ComputeEndpointType,
} from './compute-endpoint';
export { type ComputeSize, computeSizes, type SizeOutput } from './compute-size';
export type { UnsettledOperation } from './endpoint-state';
export {
  type ComputeEndpointState,
  getComputeEndpoint,
  getComputeEndpoints,
  getOperation,
  getOperations,
  type OperationState,
} from './lookup';
