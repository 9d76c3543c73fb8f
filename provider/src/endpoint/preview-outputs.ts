import { unknownValue } from '../lifecycle/input-values';
import { deriveSizeOutputs, pooledMaxConnections } from './compute-size';
import { endpointArguments } from './endpoint-arguments';
import type { EndpointInputs } from './endpoint-inputs';
import type { EndpointOutputs, PriorState } from './endpoint-state';

/** What a preview knows of the outputs of a new endpoint; the service decides the others. */
export function previewCreate(inputs: EndpointInputs): object {
  const decided = endpointArguments.names.filter((name) => endpointArguments.isReadable(name));
  const unknown = [...decided, 'host', 'poolerHost', 'proxyHost'].map((name) => [name, unknownValue]);
  return { ...Object.fromEntries(unknown), ...inputs, ...previewSizes(inputs) };
}

/** What a preview knows of the outputs after an update. */
export function previewUpdate(prior: PriorState, inputs: EndpointInputs): object {
  const { maxConnections: _, ...updated } = endpointArguments.previewUpdate(
    prior,
    inputs,
  ) as Partial<EndpointOutputs>;
  return { ...updated, ...previewSizes(updated) };
}

function previewSizes({
  autoscalingLimitMinCu: minCu,
  autoscalingLimitMaxCu: maxCu,
}: Partial<EndpointInputs>) {
  if (typeof minCu === 'number' && typeof maxCu === 'number') return deriveSizeOutputs(minCu, maxCu);
  return {
    minSize: unknownValue,
    maxSize: unknownValue,
    maxConnections: unknownValue,
    pooledMaxConnections,
  };
}
