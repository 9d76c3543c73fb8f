import { union } from 'lodash';
import { argumentNames } from './argument-effects';
import { isSame } from './endpoint-inputs';
import type { EndpointOutputs, PriorState } from './endpoint-state';
import type { Declaration } from './resource-identity';

/** The outputs that follow from an argument. */
const derivedOutputs: Readonly<Record<string, readonly string[]>> = {
  autoscalingLimitMinCu: ['minSize', 'maxConnections'],
  autoscalingLimitMaxCu: ['maxSize'],
};

/**
 * The names of the outputs that are secret: what the program marks, what was secret in state (unless the program now gives
 * this value), and what follows from them.
 */
export function findSecretOutputs(
  { resource: { secretNames = [] }, inputs }: Declaration,
  outputs: Partial<EndpointOutputs>,
  before: PriorState | undefined,
): string[] {
  const wasSecret = (name: string) => before?.resource.secretNames?.includes(name) === true;
  const kept = argumentNames.filter((name) => wasSecret(name) && !isSame(outputs[name], inputs[name]));
  const secret = union(secretNames, kept);
  return union(secret, ...secret.map((name) => derivedOutputs[name] ?? []));
}
