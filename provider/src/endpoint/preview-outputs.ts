import { omit } from 'lodash';
import { argumentNames, argumentTable } from '../endpoint/argument-effects';
import { deriveSizeOutputs, pooledMaxConnections } from '../endpoint/compute-size';
import type { EndpointInputs } from '../endpoint/endpoint-inputs';
import type { EndpointOutputs, PriorState } from '../endpoint/endpoint-state';
import { unknownValue } from '../lifecycle/input-values';
import { unsettledOutputs } from '../lifecycle/resource-state';

/** What a preview knows of the outputs of a new endpoint; the service decides the others. */
export function previewCreate(inputs: EndpointInputs): object {
  const decided = argumentNames.filter((name) => argumentTable[name].read);
  const unknown = [...decided, 'host', 'poolerHost', 'proxyHost'].map((name) => [name, unknownValue]);
  return { ...Object.fromEntries(unknown), ...inputs, ...previewSizes(inputs) };
}

/** What a preview knows of the outputs after an update: what does not change stays known. */
export function previewUpdate(prior: PriorState, inputs: EndpointInputs): object {
  const removed = argumentNames.filter(
    (name) => inputs[name] === undefined && prior.inputs[name] !== undefined,
  );
  const reset = removed.map((name) => [name, argumentTable[name].whenRemoved]);
  const settings = argumentNames.filter((name) => argumentTable[name].effect === 'none');
  const kept: Partial<EndpointOutputs> = omit(prior.outputs, unsettledOutputs, settings, 'maxConnections');
  const updated = {
    ...kept,
    ...Object.fromEntries(reset.filter(([, value]) => value !== undefined)),
    ...inputs,
  };
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
