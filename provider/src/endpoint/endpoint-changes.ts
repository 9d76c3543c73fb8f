import type { EndpointAttributes } from '../control-api/wire-types';
import { isSame, isUnknown } from '../lifecycle/input-values';
import { argumentNames, argumentTable } from './argument-effects';
import type { EndpointInputs, InputName } from './endpoint-inputs';

/** The names of the arguments that the program gives. */
export function findGiven(inputs: Readonly<Partial<EndpointInputs>>): InputName[] {
  return argumentNames.filter((name) => inputs[name] !== undefined);
}

/** What state holds of an endpoint, as far as it decides what has changed. */
interface Before {
  /** What the program gave. */
  readonly inputs: EndpointInputs;
  /** What the service reported. */
  readonly outputs: EndpointInputs;
}

/** The arguments in which the desired inputs differ from the outputs in state, unknown values included. */
export function findChanges(before: Before, desired: EndpointInputs): InputName[] {
  return argumentNames.filter((name) => isChanged(name, before, desired));
}

function isChanged(name: InputName, { inputs, outputs }: Before, desired: EndpointInputs): boolean {
  const value = desired[name];
  if (value !== undefined) return isUnknown(value) || !isSame(value, outputs[name]);
  const { effect, whenRemoved } = argumentTable[name];
  if (inputs[name] === undefined) return false;
  if (effect === 'none') return true;
  // After a failed update the engine stores the old inputs beside the new outputs, which no longer have it.
  return whenRemoved !== undefined && !isSame(whenRemoved, outputs[name] ?? whenRemoved);
}

/** The attributes of a create: everything that the program gives. */
export function toCreateAttributes(inputs: EndpointInputs): EndpointAttributes {
  return toAttributes(findGiven(inputs), inputs);
}

/** The attributes of an update: the named ones and no others. */
export function toAttributes(names: readonly InputName[], inputs: EndpointInputs): EndpointAttributes {
  const parts = names.map((name) => {
    const { write, whenRemoved } = argumentTable[name];
    // The table pairs each name with a writer of its own type, which a look-up by name can't show.
    const value = inputs[name] ?? whenRemoved;
    if (value === undefined) return {};
    return (write as ((value: unknown) => EndpointAttributes) | undefined)?.(value) ?? {};
  });
  return Object.assign({}, ...parts);
}
