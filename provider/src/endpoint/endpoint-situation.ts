import type { Endpoint, Operation } from '../control-api/wire-types';
import type { Flow } from '../lifecycle/beginning';
import type { Owed } from '../lifecycle/ledger';
import { type PlannedStep, plan } from '../lifecycle/plan';
import type { Work } from '../lifecycle/provider-core';
import type { Situation } from '../lifecycle/situation';
import { isSizeName } from './compute-size';
import { endpointArguments } from './endpoint-arguments';
import type { EndpointInputs } from './endpoint-inputs';

/** What a create or an update works on. */
export interface EndpointWork extends Work<EndpointInputs> {
  readonly action: 'create' | 'update';
  readonly endpointId: string;
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
    const effects: Owed[] = [];
    if (names.some(needsConfig)) effects.push('config');
    if (names.includes('disabled') && inputs.disabled === true) effects.push('stop');
    // A move leaves the compute idle, whatever its size.
    if (names.includes('branchId')) effects.push('move');
    else if (names.some(isSizeName)) effects.push('restart');
    return effects;
  },
  // A new endpoint keeps its derived name until the last step.
  repeatable: (inputs) =>
    endpointArguments
      .findGiven(inputs)
      .filter((name) => name !== 'name' && endpointArguments.row(name).effect === 'update'),
};

/** Whether the service starts an `apply_config` for it. */
function needsConfig(name: string): boolean {
  return endpointArguments.isWritable(name) && name !== 'name' && name !== 'disabled';
}

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
