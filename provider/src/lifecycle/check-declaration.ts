import { isString, pickBy, union } from 'lodash';
import { type InputFailure, isUnknown } from './input-values';
import type { ResourceClaims } from './resource-claims';
import type { CheckedDeclaration, Properties, Resource, UncheckedDeclaration } from './resource-identity';
import { deriveNames, hashName } from './resource-name';
import type { ResourceType } from './resource-type';

/**
 * Checks what the program gives, without a request, and gives the resource its name, once. The engine checks twice for a
 * replacement: with the inputs in state, then without.
 * @param olds the inputs in state; undefined when the resource is created
 */
export function checkDeclaration<Inputs>(
  type: ResourceType,
  olds: UncheckedDeclaration | undefined,
  { resource: declared, inputs: news }: UncheckedDeclaration,
  claims: ResourceClaims,
): CheckedDeclaration<Inputs> {
  const given = pickBy(news, (value) => value !== undefined && value !== null);
  const { secretNames = [] } = declared;
  const oldName = olds?.inputs.name;
  const replaces = findReplaced(declared, oldName, claims);
  // A resource that is taken over keeps the name that it has; every other one gets its name here, once.
  const isNamedHere = !olds && given.adopt !== true;
  const named = { ...declared, replaces };
  const [derivedName] = isNamedHere ? deriveNames(named, given, type.replacingArguments) : [];
  const name = given.name ?? oldName ?? derivedName;
  // A secret name stays a secret when the program no longer gives it.
  const isNameSecret = given.name === undefined && olds?.resource.secretNames?.includes('name') === true;
  const resource = {
    ...declared,
    replaces, // Never the input's: with `ignoreChanges` that is left over from an earlier replacement.
    ...(isNameSecret && { secretNames: union(secretNames, ['name']) }),
  };
  const inputs = { ...given, ...(name !== undefined && { name }) };
  claims.noteCheck(olds, { resource, inputs });
  const failures = type.findInputFailures(given, olds?.inputs);
  return {
    resource,
    // Inputs without a failure have this type, or are not known yet.
    inputs: inputs as Inputs,
    failures: failures.length > 0 ? failures : claimName(type, resource, inputs, claims),
  };
}

/** Where the new resource is created before the old one is deleted, its derived name has to differ from the old one's. */
function findReplaced(
  { urn, createsBeforeDelete }: Resource,
  oldName: unknown,
  claims: ResourceClaims,
): string | undefined {
  if (urn === undefined || !createsBeforeDelete || oldName !== undefined) return undefined;
  const replaced = claims.resource(urn).inState?.inputs.name;
  return isString(replaced) ? hashName(replaced) : undefined;
}

function claimName(
  { kind, namesWithin }: ResourceType,
  { urn }: Resource,
  inputs: Properties,
  claims: ResourceClaims,
): InputFailure[] {
  const { name } = inputs;
  const within = namesWithin.map((argument) => inputs[argument]);
  if (name === undefined || urn === undefined || isUnknown([...within, name])) return [];
  const holder = claims.claimName(within.join('/'), String(name), urn);
  if (holder === undefined) return [];
  return [{ property: 'name', reason: `is already used by another ${kind} of this program: ${holder}` }];
}
