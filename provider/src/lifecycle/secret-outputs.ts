import { intersection, isEmpty, reject, union } from 'lodash';
import { isSame } from './input-values';
import type { Declared, Properties } from './resource-identity';
import { isUnsettled } from './resource-state';
import type { ResourceType } from './resource-type';

/**
 * What is in state; for a create, which does not get that, the arguments to treat as secrets. Those are known only once the
 * create has ended: it may have taken something over.
 */
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
  const isUpdate = before !== undefined && 'resource' in before;
  const assumed = isUpdate
    ? assumeSecret(false, outputs)
    : before && union(before.listAssumed(), assumeSecret(createsBeforeDelete, outputs));
  const known = isUpdate ? before.resource.secretNames : undefined;
  const isGiven = (name: string) => isSame(outputs[name], inputs[name]);
  // After a failed run, the next read may lag behind and show again what was there before.
  const kept = isUnsettled(outputs)
    ? union(known, reject(assumed, isGiven))
    : reject(union(known, assumed), isGiven);
  const secret = union(secretNames, intersection(argumentNames, kept));
  return union(secret, ...secret.map((name) => derivedOutputs[name] ?? []));
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
