import { intersection, union } from 'lodash';
import { isSame } from './input-values';
import type { Declared, Properties } from './resource-identity';
import type { ResourceType } from './resource-type';

/**
 * The names of the outputs that are secret: what the program marks, what was secret in state (unless the program now gives
 * this value), and what follows from them.
 */
export function findSecretOutputs(
  { argumentNames, derivedOutputs }: ResourceType,
  { resource: { secretNames = [] }, inputs }: Declared<Properties>,
  outputs: Properties,
  before: Pick<Declared<Properties>, 'resource'> | undefined,
): string[] {
  const secretBefore = before?.resource.secretNames ?? [];
  // An empty map, too: the next read may lag behind, and show again what was in it.
  const kept = intersection(argumentNames, secretBefore).filter(
    (name) => !isSame(outputs[name], inputs[name]),
  );
  const secret = union(secretNames, kept);
  return union(secret, ...secret.map((name) => derivedOutputs[name] ?? []));
}

/**
 * What a create has to assume of the state, which it does not see: a forced replacement that creates before it deletes takes
 * over the live endpoint, and may report settings that only an earlier program has given, as secrets.
 */
export function assumeReplaced({ resource }: Declared<Properties>): Pick<Declared<Properties>, 'resource'> {
  return { resource: { secretNames: resource.createsBeforeDelete ? ['pgSettings'] : [] } };
}
