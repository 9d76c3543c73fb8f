import type { Endpoint, Operation } from '../control-api/wire-types';
import type { Flow } from '../lifecycle/beginning';
import type { Owed } from '../lifecycle/ledger';
import { type PlannedStep, plan } from '../lifecycle/plan';
import type { ResourceWork } from '../lifecycle/resource';
import type { Situation } from '../lifecycle/situation';
import { type ChangeEffect, endpointArguments } from './endpoint-arguments';
import type { EndpointInputs } from './endpoint-inputs';

/** What a create or an update works on. */
export interface EndpointWork extends ResourceWork<EndpointInputs> {
  readonly urn?: string | undefined;
  /** Whether connections of an active compute may be dropped. */
  readonly allowsRestart: boolean;
  /** The arguments that are secret, or were. @default none */
  readonly secretNames?: readonly string[] | undefined;
}

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

/**
 * The steps of a run on the situation, with the endpoint as it is now.
 * @param listed the operations that the state does not account for, newest first. @default none
 */
export function planFor(
  situation: Situation,
  endpoint: Endpoint,
  inputs: EndpointInputs,
  listed: readonly Operation[] = [],
): PlannedStep[] {
  const seen = { ...situation, item: endpoint };
  return plan(seen, endpointFlow, (names) => endpointArguments.findDrift(endpoint, inputs, names), listed);
}

/** Whether the operation works on the endpoint, and is not only a check of the service. */
export function isOfEndpoint(id: string, { endpoint_id, action }: Operation): boolean {
  return endpoint_id === id && action !== 'check_availability';
}
