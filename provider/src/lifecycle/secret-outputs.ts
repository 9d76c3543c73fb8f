import { intersection, isEmpty, reject, union } from 'lodash';
import { isSame, isUnknown } from './input-values';
import type { Declared, Properties } from './resource-identity';
import { isUnsettled } from './resource-state';
import type { ResourceType } from './resource-type';

/** What was in state; a create does not get that. */
export type Before = Pick<Declared<Properties>, 'resource'>;

/**
 * The names of the outputs that are secret: what the program marks, what was secret in state (unless the program now gives
 * this value and the last run has finished), and what follows from them.
 */
export function findSecretOutputs(
  { argumentNames, derivedOutputs }: ResourceType,
  { resource: { secretNames = [] }, inputs }: Declared<Properties>,
  outputs: Properties,
  before: Before | undefined,
): string[] {
  // Other settings than the program gives may be secrets of an earlier one, or of a run that was killed.
  const { pgSettings } = outputs;
  const isFound = !isEmpty(pgSettings) && !isUnknown(pgSettings) && !isSame(pgSettings, inputs.pgSettings);
  const known = union(before?.resource.secretNames, isFound ? ['pgSettings'] : []);
  const kept = isUnsettled(outputs) ? known : reject(known, (name) => isSame(outputs[name], inputs[name]));
  const secret = union(secretNames, intersection(argumentNames, kept));
  return union(secret, ...secret.map((name) => derivedOutputs[name] ?? []));
}
