import type { ServiceProject } from '../operations/service-project';
import { declareEndpoint } from './declared-endpoint';
import { endpointArguments } from './endpoint-arguments';
import type { EndpointInputs } from './endpoint-inputs';
import { type EndpointOutputs, type PriorState, toOutputs } from './endpoint-state';

/** An endpoint as a refresh, an import or a lookup finds it. */
export interface FoundEndpoint {
  readonly inputs: EndpointInputs;
  readonly outputs: EndpointOutputs;
}

/** Undefined when no read shows the endpoint within the read lag. */
export async function readEndpoint(
  project: ServiceProject,
  id: string,
  prior: PriorState,
  declared: 'in state' | 'as found',
): Promise<FoundEndpoint | undefined> {
  const endpoint = await project.endpoints.findPatiently(id, project.readLagMs, project.sharedRead);
  if (!endpoint) return undefined;
  const hasOwnName = () =>
    project.endpoints.latest.every(({ id: other, name }) => other === endpoint.id || name !== endpoint.name);
  if (declared === 'as found') {
    const inputs = declareEndpoint(endpoint, hasOwnName());
    return { inputs, outputs: toOutputs(endpoint, inputs) };
  }
  const inputs = endpointArguments.withReported(endpoint, prior.inputs);
  const refresh = (known: EndpointInputs) => toOutputs(endpoint, known);
  return { inputs, outputs: endpointArguments.refresh(endpoint, inputs, prior.outputs, refresh) };
}
