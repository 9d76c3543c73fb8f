import { union } from 'lodash';
import type { Endpoint } from '../control-api/wire-types';
import { isSame } from '../lifecycle/input-values';
import { argumentNames, argumentTable, isArgument } from './argument-effects';
import { findGiven } from './endpoint-changes';
import type { EndpointInputs, InputName } from './endpoint-inputs';

/**
 * The arguments among these for which the service reports another value than the program gives.
 * @param names @default all that the program gives
 */
export function findDrift(
  endpoint: Endpoint,
  inputs: EndpointInputs,
  names: readonly string[] = findGiven(inputs),
): InputName[] {
  return names.filter(isArgument).filter((name) => !matchesDesired(endpoint, inputs, name));
}

/** Arguments that an earlier program set and this one omits. */
function findLeftovers(endpoint: Endpoint, inputs: EndpointInputs): InputName[] {
  return argumentNames.filter((name) => {
    const { read, whenRemoved } = argumentTable[name];
    if (read === undefined || whenRemoved === undefined) return false;
    // The reported value comes first: the program has to give every setting that the service reports.
    return !isMatch(name, read(endpoint), inputs[name] ?? whenRemoved);
  });
}

/**
 * What a take-over changes.
 * @param isOwn whether an earlier create of this resource made the endpoint: what the program leaves out is then reset
 */
export function findTakeOverChanges(endpoint: Endpoint, inputs: EndpointInputs, isOwn: boolean): InputName[] {
  const differing = findDrift(endpoint, inputs);
  return isOwn ? union(differing, findLeftovers(endpoint, inputs)) : differing;
}

/** Whether the service reports what the program gives, or the default of what it no longer gives. */
export function matchesDesired(endpoint: Endpoint, inputs: EndpointInputs, name: InputName): boolean {
  const { read, whenRemoved } = argumentTable[name];
  const desired = inputs[name] ?? whenRemoved;
  return read === undefined || desired === undefined || isMatch(name, desired, read(endpoint));
}

/** Whether the service reports exactly this value; `matchesDesired` also accepts further settings. */
export function isReported(endpoint: Endpoint, values: Partial<EndpointInputs>, name: InputName): boolean {
  const { read } = argumentTable[name];
  if (read === undefined) return true;
  const [value, reported] = [values[name], read(endpoint)];
  return value === reported || (isMatch(name, value, reported) && isMatch(name, reported, value));
}

/** What the program gave, with the values that the service reports now. */
export function withReported(endpoint: Endpoint, inputs: EndpointInputs): EndpointInputs {
  return { ...inputs, ...readAttributes(endpoint, inputs, findGiven(inputs)) };
}

/** What the service reports; where that is what the program gives, in the program's spelling. */
export function readAttributes(
  endpoint: Endpoint,
  desired: Partial<EndpointInputs>,
  names = argumentNames,
): Partial<EndpointInputs> {
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const reported = argumentTable[name].read?.(endpoint);
    if (reported === undefined) continue;
    values[name] = isMatch(name, desired[name], reported) ? desired[name] : reported;
  }
  return values;
}

function isMatch(name: InputName, desired: unknown, reported: unknown): boolean {
  if (desired === undefined || reported === undefined) return false;
  const matches = argumentTable[name].matches ?? isSame;
  // The table pairs each name with a comparison of its own type, which a look-up by name can't show.
  return (matches as (left: unknown, right: unknown) => boolean)(desired, reported);
}
