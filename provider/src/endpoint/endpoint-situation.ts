import type { Endpoint, Operation } from '../control-api/wire-types';
import { evolve } from '../lifecycle/evolve';
import { moveTo, type Owed } from '../lifecycle/ledger';
import { type PlannedStep, plan } from '../lifecycle/plan';
import type { Work } from '../lifecycle/provider-core';
import { nameLast, newSituation, type Rules, type Situation } from '../lifecycle/situation';
import { readLedger } from '../lifecycle/stored-ledger';
import { argumentNames, argumentTable, isArgument } from './argument-effects';
import { isSizeName } from './compute-size';
import { findDrift, findTakeOverChanges } from './drift';
import { findGiven } from './endpoint-changes';
import type { EndpointInputs, InputName } from './endpoint-inputs';
import type { EndpointOutputs } from './endpoint-state';

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
export const endpointRules: Rules = {
  effectsOf(names, inputs) {
    const effects: Owed[] = [];
    if (names.some((name) => isArgument(name) && needsConfig(name))) effects.push('config');
    if (names.includes('disabled') && inputs.disabled === true) effects.push('stop');
    // A move leaves the compute idle, whatever its size.
    if (names.includes('branchId')) effects.push('move');
    else if (names.some(isSizeName)) effects.push('restart');
    return effects;
  },
  // A new endpoint keeps its derived name until the last step.
  repeatable: (inputs) =>
    argumentNames.filter(
      (name) => inputs[name] !== undefined && name !== 'name' && argumentTable[name].effect === 'update',
    ),
};

/** Whether the service starts an `apply_config` for it. */
function needsConfig(name: InputName): boolean {
  return argumentTable[name].write !== undefined && name !== 'name' && name !== 'disabled';
}

/** The situation of an update. @throws Error when the state holds something that this release does not know */
export function situationInState(inputs: EndpointInputs, before: EndpointOutputs): Situation {
  return { ...newSituation(inputs), origin: 'in state', ...readLedger(before, isArgument) };
}

/** The situation after the response to a create: all that the program gives is sent, but for its name. */
export function situationOfNew(
  inputs: EndpointInputs,
  endpoint: Endpoint,
  started: readonly Operation[],
): Situation {
  const created: Situation = {
    ...newSituation(inputs),
    origin: 'new',
    ledger: nameLast(inputs, endpoint),
    writes: 'accepted',
    item: endpoint,
  };
  const names = findGiven(inputs).filter((name) => name !== 'name' && argumentTable[name].write);
  const sent = { ...created, ledger: moveTo(created.ledger, 'sent', names) };
  return evolve(sent, { kind: 'accepted', names: [], started, isRepeated: false }, endpointRules);
}

/**
 * The situation when a list shows an endpoint to take over.
 * @param origin `own`: an earlier create of this resource has made it, so what the program leaves out is reset
 * @param writes `unknown`: this run has created it by a request whose response was lost
 */
export function situationOfFound(
  inputs: EndpointInputs,
  endpoint: Endpoint,
  origin: 'own' | 'adopted',
  writes: Situation['writes'],
): Situation {
  const found: Situation = { ...newSituation(inputs), origin, past: 'uncertain', item: endpoint };
  const ledger = origin === 'own' ? nameLast(inputs, endpoint) : found.ledger;
  const names = findTakeOverChanges(endpoint, inputs, origin === 'own');
  return evolve({ ...found, ledger, writes }, { kind: 'asked', names }, endpointRules);
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
  return plan(seen, endpointRules, (names) => findDrift(endpoint, inputs, names), listed);
}
