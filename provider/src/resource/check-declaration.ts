import { isString, pickBy, union } from 'lodash';
import type { EndpointClaims } from './endpoint-claims';
import { type EndpointInputs, findInputFailures, type InputFailure, isUnknown } from './endpoint-inputs';
import { deriveEndpointName, hashName } from './endpoint-name';
import type { Resource } from './resource-identity';

/** What a program gives, before it is checked. */
export interface UncheckedDeclaration {
  readonly resource: Resource;
  readonly inputs: Readonly<Record<string, unknown>>;
}

export interface CheckedDeclaration {
  /** With what the check has added: the endpoint that is replaced, and that the name is a secret. */
  readonly resource: Resource;
  /** With the endpoint's name. If there are failures, they may hold anything. */
  readonly inputs: EndpointInputs;
  readonly failures: readonly InputFailure[];
}

/**
 * Checks what the program gives, without a request, and gives the endpoint its name, once. The engine checks twice for a
 * replacement: with the inputs in state, then without.
 * @param olds the inputs in state; undefined when the resource is created
 */
export function checkEndpoint(
  olds: UncheckedDeclaration | undefined,
  { resource: declared, inputs: news }: UncheckedDeclaration,
  claims: EndpointClaims,
): CheckedDeclaration {
  const given = pickBy(news, (value) => value !== undefined && value !== null);
  const { urn, secretNames = [] } = declared;
  const oldName = olds?.inputs.name;
  if (urn !== undefined) claims.noteDeclared(urn);
  if (urn !== undefined && isString(oldName)) claims.noteInState(urn, oldName);
  if (urn !== undefined && !olds) claims.noteCreatedAnew(urn);
  const replaces = findReplaced(declared, oldName, claims);
  // An endpoint that is taken over keeps the name that it has; every other one gets its name here, once.
  const isNamedHere = !olds && given.adopt !== true;
  const derivedName = isNamedHere ? deriveEndpointName({ ...declared, replaces }, given) : undefined;
  const name = given.name ?? oldName ?? derivedName;
  // A secret name stays a secret when the program no longer gives it.
  const isNameSecret = given.name === undefined && olds?.resource.secretNames?.includes('name') === true;
  const resource = {
    ...declared,
    replaces, // Never the input's: with `ignoreChanges` that is left over from an earlier replacement.
    ...(isNameSecret && { secretNames: union(secretNames, ['name']) }),
  };
  // What the failures let through has the type of the inputs, or is not known yet.
  const inputs = { ...given, ...(name !== undefined && { name }) } as unknown as EndpointInputs;
  const failures = findInputFailures(given);
  return { resource, inputs, failures: failures.length > 0 ? failures : claimName(resource, inputs, claims) };
}

/** Where the new endpoint is created before the old one is deleted, its derived name has to differ from the old one's. */
function findReplaced(
  { urn, createsBeforeDelete }: Resource,
  oldName: unknown,
  claims: EndpointClaims,
): string | undefined {
  if (urn === undefined || !createsBeforeDelete || oldName !== undefined) return undefined;
  const replaced = claims.nameInState(urn);
  return replaced === undefined ? undefined : hashName(replaced);
}

function claimName(
  { urn }: Resource,
  { projectId, name }: EndpointInputs,
  claims: EndpointClaims,
): InputFailure[] {
  if (name === undefined || urn === undefined || isUnknown([projectId, name])) return [];
  const holder = claims.claimName(projectId, name, urn);
  if (holder === undefined) return [];
  return [{ property: 'name', reason: `is already the name of another endpoint of this program: ${holder}` }];
}
