import type { Endpoint, EndpointChange } from '../control-api/wire-types';
import { describeArguments } from '../lifecycle/beginning';
import type { Change, Resource } from '../lifecycle/resource';
import { Run } from '../lifecycle/run';
import type { Situation } from '../lifecycle/situation';
import { endpointArguments } from './endpoint-arguments';
import { type EndpointWork, endpointFlow, isOfEndpoint } from './endpoint-situation';
import { type EndpointOutputs, toOutputs } from './endpoint-state';
import { checkGate } from './gate';

/** @param before the outputs in state, if the endpoint is there */
export function describeEndpoint(
  work: EndpointWork,
  before?: EndpointOutputs,
): Resource<Endpoint, EndpointOutputs> {
  const { inputs, project, id, deadline } = work;
  const { api } = project;
  return {
    ...describeArguments(endpointFlow, inputs, before),
    work,
    list: project.endpoints,
    isOfResource: (operation) => isOfEndpoint(id, operation),
    update: (names) => {
      const attributes = endpointArguments.toAttributes(names, inputs);
      if (Object.keys(attributes).length === 0) return undefined;
      return () => api.updateEndpoint(project.id, id, attributes, deadline).then(toChange);
    },
    control: (verb) =>
      verb === 'reset'
        ? Promise.reject(new Error('an endpoint has no data.'))
        : api.controlEndpoint(project.id, id, verb, deadline).then(toChange),
    isReset: () => false,
    checkGate: (situation, read) => checkGate(work, situation, read),
    isReady: ({ pending_state }) => pending_state === undefined,
    toOutputs: (item, left, asked) => {
      // A value that the service does not report is unchanged if nothing was sent for it.
      const restartTriggers = asked.includes('restartTriggers')
        ? before?.restartTriggers
        : inputs.restartTriggers;
      const { restartTriggers: _, ...others } = inputs;
      return toOutputs(item, { ...others, ...(restartTriggers && { restartTriggers }) }, left);
    },
  };
}

export function toChange({ endpoint, operations }: EndpointChange): Change<Endpoint> {
  return { item: endpoint, operations };
}

export function startRun(work: EndpointWork, situation: Situation, before?: EndpointOutputs) {
  return new Run(describeEndpoint(work, before), situation);
}
