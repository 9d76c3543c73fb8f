import { type ComputeEndpointState, readEndpoints, toEndpointState } from './live-endpoint';
import { connectByStack } from './stack-connection';

/**
 * Reads the current state of one endpoint.
 * @throws ControlApiError 404 when the project has no such endpoint
 */
export async function getComputeEndpoint(at: {
  /** The project of the endpoint. */
  projectId: string;
  /** The endpoint's id, such as `ep-cool-lake-12345678`. */
  endpointId: string;
}): Promise<ComputeEndpointState> {
  return toEndpointState(await connectByStack().getEndpoint(at.projectId, at.endpointId));
}

/**
 * Reads the current state of all endpoints of a project or of one branch.
 * @throws ControlApiError 404 when there is no such project
 */
export async function getComputeEndpoints(of: {
  /** The project of the endpoints. */
  projectId: string;
  /** The branch of the endpoints. @default all branches of the project */
  branchId?: string;
}): Promise<ComputeEndpointState[]> {
  return readEndpoints(connectByStack(), of);
}
