import { isString, pickBy, union } from 'lodash';
import { addSentence, findRefusal } from '../control-api/control-api-error';
import { type InputFailure, isUnknown } from './input-values';
import type { ProviderCore } from './provider-core';
import type { ResourceClaims } from './resource-claims';
import type { CheckedDeclaration, Properties, Resource, UncheckedDeclaration } from './resource-identity';
import { deriveNames, hashName, toFinishedName } from './resource-name';
import type { ResourceType } from './resource-type';

/** A question of a check: why can't the declaration be applied? */
export type Question = () => readonly InputFailure[] | Promise<readonly InputFailure[]>;

const followsFailure = 'has no value, because another resource of this program has failed: see its error';

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
  // The outputs of a branch whose create has failed have its unfinished name.
  return isString(replaced) ? hashName(toFinishedName(replaced)) : undefined;
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

/**
 * Adds to a check the failures of the first question that finds some. A refusal by the service is a failure as well, because
 * `pulumi up` would fail.
 */
export async function judgeDeclaration<Inputs extends object>(
  core: ProviderCore,
  checked: CheckedDeclaration<Inputs>,
  questions: readonly Question[],
): Promise<CheckedDeclaration<Inputs>> {
  const settings = () => core.config.findFailures().map((reason) => ({ property: '', reason }));
  const failures = await findFirstFailures([() => [...settings(), ...checked.failures], ...questions]);
  const present = core.presenter([checked]);
  const isSecret = (name: string) => checked.resource.secretNames?.includes(name) === true;
  const isLacking = (name: string) => name !== '' && !(name in checked.inputs);
  const presented = failures.map(({ property, ...failure }) => {
    // After a failure the engine passes what depends on it without the values that are missing.
    const reason = core.hasFailed && isLacking(property) ? followsFailure : failure.reason;
    // The engine would show the value of a named property, even of a secret.
    return isSecret(property)
      ? { property: '', reason: present(`${property} ${reason}`) }
      : { property, reason: present(reason) };
  });
  return { ...checked, failures: presented };
}

async function findFirstFailures(questions: readonly Question[]): Promise<readonly InputFailure[]> {
  for (const ask of questions) {
    try {
      const failures = await ask();
      if (failures.length > 0) return failures;
    } catch (error) {
      const refusal = findRefusal(error);
      if (!refusal) throw error;
      const advice =
        'Are the base URL and projectId right, and does the key belong to the account of the project?';
      const isMissing = refusal.isNotFound && !refusal.lacksVersion;
      const reason = isMissing ? addSentence(refusal.message, advice) : refusal.message;
      return [{ property: '', reason }];
    }
  }
  return [];
}
