import { intersection, isEmpty, union } from 'lodash';
import { isSame } from './input-values';
import type { Declared, Properties } from './resource-identity';
import { unsettledOutputs } from './resource-state';
import type { ResourceType } from './resource-type';

/** What is in state, or what a create, which does not see it, assumes to be secret there. */
export type Before =
  | Pick<Declared<Properties>, 'resource'>
  | { readonly listAssumed: () => readonly string[] };

/**
 * The names of the outputs that are secret: what the program marks, what was secret in state (unless the program now gives
 * this value and the last run has finished), and what follows from them.
 */
export function findSecretOutputs(
  { argumentNames, derivedOutputs }: ResourceType,
  { resource: { secretNames = [], createsBeforeDelete }, inputs }: Declared<Properties>,
  outputs: Properties,
  before: Before | undefined,
): string[] {
  const secretBefore = before && listSecretBefore(before, createsBeforeDelete, outputs);
  // After a failed run, the next read may lag behind and show again what was there before. That also goes for an empty map.
  const isUnfinished = unsettledOutputs.some((name) => name in outputs);
  const kept = intersection(argumentNames, secretBefore).filter(
    (name) => isUnfinished || !isSame(outputs[name], inputs[name]),
  );
  const secret = union(secretNames, kept);
  return union(secret, ...secret.map((name) => derivedOutputs[name] ?? []));
}

function listSecretBefore(
  before: Before,
  createsBeforeDelete: boolean | undefined,
  outputs: Properties,
): readonly string[] {
  if ('resource' in before) return union(before.resource.secretNames, assumeSecret(false, outputs));
  return union(before.listAssumed(), assumeSecret(createsBeforeDelete, outputs));
}

/**
 * A take-over may report settings that only an earlier program has given, as secrets; an update may report those of a run that
 * was killed. A forced replacement that keeps the endpoint resets them, but the next read may lag behind and show them again.
 */
function assumeSecret(
  createsBeforeDelete: boolean | undefined,
  { pgSettings }: Properties,
): readonly string[] {
  return createsBeforeDelete || !isEmpty(pgSettings) ? ['pgSettings'] : [];
}
