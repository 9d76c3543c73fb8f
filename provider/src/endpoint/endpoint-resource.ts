import type { Endpoint, EndpointChange, Operation } from '../control-api/wire-types';
import { namesAt, type Owed } from '../lifecycle/ledger';
import { mayDrop, plan } from '../lifecycle/plan';
import type { Change, Flow, Resource, ResourceWork } from '../lifecycle/resource';
import { describeNamed } from '../lifecycle/resource-identity';
import { Run } from '../lifecycle/run';
import type { Situation } from '../lifecycle/situation';
import { describeImpact, describeRefusal } from './change-impact';
import { type ChangeEffect, endpointArguments } from './endpoint-arguments';
import type { EndpointInputs } from './endpoint-inputs';
import { type EndpointOutputs, toOutputs } from './endpoint-state';

/** What sending arguments of an endpoint owes, in this run or an earlier one. */
export const endpointFlow: Flow<EndpointInputs, Endpoint> = {
  arguments: endpointArguments,
  isBlind: false,
  mayHavePast: () => true,
  effectsOf(names, inputs) {
    const sent = names.filter((name) => endpointArguments.isWritable(name));
    const has = (effect: ChangeEffect) => sent.some((name) => endpointArguments.row(name).effect === effect);
    const effects: Owed[] = [];
    if (sent.some((name) => name !== 'name' && name !== 'disabled')) effects.push('config');
    if (has('stop') && inputs.disabled === true) effects.push('stop');
    // A move leaves the compute idle, whatever its size.
    if (has('move')) effects.push('move');
    else if (has('restart')) effects.push('restart');
    return effects;
  },
  isRecorded: () => true,
  // A new endpoint keeps its derived name until the last step.
  repeatable: (inputs) =>
    endpointArguments
      .findGiven(inputs)
      .filter((name) => name !== 'name' && endpointArguments.row(name).effect === 'update'),
};

/** Whether the operation works on the endpoint, and is not only a check of the service. */
export function isOfEndpoint(id: string, { endpoint_id, action }: Operation): boolean {
  return endpoint_id === id && action !== 'check_availability';
}

/** @throws Error when `allowRestart` is false, and the rest of the run would drop connections */
export async function checkGate(
  { allowsRestart, id, inputs, resource: { urn, secretNames }, settingNames }: ResourceWork<EndpointInputs>,
  situation: Situation,
  read: () => Promise<Endpoint>,
): Promise<void> {
  if (allowsRestart || !mayDrop(situation, endpointFlow)) return;
  const live = await read();
  const steps = plan({ ...situation, item: live }, endpointFlow);
  const changes = namesAt(situation.ledger, 'asked', 'due').filter(endpointArguments.has);
  const impact = describeImpact({ changes, live, steps, inputs, was: { secretNames } });
  if (!impact.drops) return;
  const sent = situation.writes === 'none' ? [] : namesAt(situation.ledger, 'sent');
  throw new Error(describeRefusal(describeNamed(id, urn), impact, inputs, settingNames, sent));
}

/** @param before the outputs in state, if the endpoint is there */
function toResource(
  work: ResourceWork<EndpointInputs>,
  before?: EndpointOutputs,
): Resource<Endpoint, EndpointOutputs> {
  const { inputs, project, id, deadline } = work;
  const { api } = project;
  return {
    flow: endpointFlow,
    work,
    before,
    list: project.endpoints,
    isOfResource: (operation) => isOfEndpoint(id, operation),
    update: (names) => {
      const attributes = endpointArguments.toAttributes(names, inputs);
      if (Object.keys(attributes).length === 0) return undefined;
      return () => api.updateEndpoint(project.id, id, attributes, deadline).then(toChange);
    },
    control: (verb) => api.controlEndpoint(project.id, id, verb, deadline).then(toChange),
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

export function startRun(work: ResourceWork<EndpointInputs>, situation: Situation, before?: EndpointOutputs) {
  return new Run(toResource(work, before), situation);
}
