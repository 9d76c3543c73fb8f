import { pick } from 'lodash';
import type { ServiceProject } from '../operations/service-project';
import { declareEndpoint } from './declared-endpoint';
import { withReported } from './drift';
import type { EndpointInputs } from './endpoint-inputs';
import { type EndpointOutputs, type PriorState, toOutputs, unsettledOutputs } from './endpoint-state';

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
  const endpoint = await project.findEndpointPatiently(id);
  if (!endpoint) return undefined;
  const namesakes = project.endpoints.latest.filter(({ name }) => name === endpoint.name);
  const inputs =
    declared === 'in state'
      ? withReported(endpoint, prior.inputs)
      : declareEndpoint(endpoint, namesakes.length <= 1);
  return { inputs, outputs: { ...toOutputs(endpoint, inputs), ...pick(prior.outputs, unsettledOutputs) } };
}
