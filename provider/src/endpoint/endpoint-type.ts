import { isUnknown, unknownValue } from '../lifecycle/input-values';
import type { Declared, Properties } from '../lifecycle/resource-identity';
import { toOutputNames } from '../lifecycle/resource-state';
import type { ResourceType } from '../lifecycle/resource-type';
import { deriveSizeOutputs, describeSizeRange, isSizeName, pooledMaxConnections } from './compute-size';
import { endpointArguments } from './endpoint-arguments';
import { type EndpointInputs, findInputFailures } from './endpoint-inputs';
import type { EndpointOutputs, PriorState } from './endpoint-state';

/** The outputs that are not arguments. */
const furtherOutputs = [
  'minSize',
  'maxSize',
  'maxConnections',
  'pooledMaxConnections',
  'host',
  'poolerHost',
  'proxyHost',
];

/** The outputs of the class ComputeEndpoint. */
export const endpointOutputs: readonly string[] = [
  ...endpointArguments.names.filter((name) => endpointArguments.isReadable(name)),
  ...furtherOutputs,
  'unsettledOperations',
];

export const endpointType: ResourceType = {
  kind: 'endpoint',
  path: 'PROJECT/ENDPOINT, such as cool-lake-12345678/ep-calm-sky-87654321',
  argumentNames: endpointArguments.names,
  replacingArguments: endpointArguments.replacing,
  outputNames: toOutputNames(endpointArguments.names, furtherOutputs),
  namesWithin: ['projectId'],
  derivedOutputs: {
    autoscalingLimitMinCu: ['minSize', 'maxConnections'],
    autoscalingLimitMaxCu: ['maxSize'],
  },
  findInputFailures,
  describeInputs: describeSize,
  previewCreate,
  previewUpdate,
};

/**
 * `restartOnChange` describes the size: a plain preview shows its change, which marks a restart. Absent if the program sets
 * no size or marks it as a secret. The engine encrypts secrets by property name and would not encrypt this copy, so it is
 * built from the sizes only.
 */
function describeSize({ resource: { secretNames = [] }, inputs }: Declared<Properties>): Properties {
  const { autoscalingLimitMinCu: minCu, autoscalingLimitMaxCu: maxCu } = inputs;
  if (secretNames.some(isSizeName)) return {};
  if (typeof minCu === 'number' && typeof maxCu === 'number')
    return { restartOnChange: `size ${describeSizeRange(minCu, maxCu)}` };
  return isUnknown([minCu, maxCu]) ? { restartOnChange: unknownValue } : {};
}

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
