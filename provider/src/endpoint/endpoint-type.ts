import { isUnknown, unknownValue } from '../lifecycle/input-values';
import type { Declared, Properties } from '../lifecycle/resource-identity';
import { toOutputNames } from '../lifecycle/resource-state';
import type { ResourceType } from '../lifecycle/resource-type';
import { describeSizeRange, isSizeName } from './compute-size';
import { endpointArguments } from './endpoint-arguments';
import { findInputFailures } from './endpoint-inputs';
import { previewCreate, previewUpdate } from './preview-outputs';

/** The outputs that are no arguments. */
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

/** What the general parts of the provider need to know of a ComputeEndpoint. */
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
