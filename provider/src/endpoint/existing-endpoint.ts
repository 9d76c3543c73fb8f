import { sortBy } from 'lodash';
import type { Endpoint } from '../control-api/wire-types';
import { NameTakenError } from '../lifecycle/resource-errors';
import { deriveNames } from '../lifecycle/resource-name';
import { replacingArguments } from './argument-effects';
import type { Declaration, EndpointInputs } from './endpoint-inputs';

/** What a create declares, and the names by which it recognises an endpoint that an earlier try created. */
export interface CreateTarget {
  readonly inputs: EndpointInputs;
  /** The derived names of this resource; no other client uses them. The endpoint is created under the first. */
  readonly derivedNames: readonly string[];
  readonly createsBeforeDelete: boolean;
}

/** An endpoint that a create takes over: its own, created by an earlier try, or one to adopt. */
export interface ExistingEndpoint {
  readonly kind: 'own' | 'adopted';
  readonly endpoint: Endpoint;
  /** Whether a request of this create may have created another one: its outcome is unknown. @default false */
  readonly mayHaveTwin?: boolean;
}

/** Derives the names once for a whole create. */
export function toCreateTarget({ resource, inputs }: Declaration): CreateTarget {
  const { createsBeforeDelete = false } = resource;
  return { inputs, createsBeforeDelete, derivedNames: deriveNames(resource, inputs, replacingArguments) };
}

/**
 * The endpoint that this create takes over instead of creating one.
 * @throws NameTakenError when an endpoint is in the way that must not be taken over
 */
export function findExisting(
  target: CreateTarget,
  endpoints: readonly Endpoint[],
): ExistingEndpoint | undefined {
  const { inputs } = target;
  const own = findOwn(target, endpoints);
  // The derived name does not include the branch, so an endpoint of that name on another branch may belong to a stack in
  // another backend. Only a
  // program that creates before it deletes can meet its own there, by a forced replacement and a move in one update.
  const isInPlace = own?.branch_id === inputs.branchId || target.createsBeforeDelete;
  if (own && isInPlace) return { kind: 'own', endpoint: own };
  if (own && !inputs.adopt) throw new NameTakenError(describeElsewhere(own), own.id);
  if (own) return { kind: 'adopted', endpoint: own };
  const named = findNamed(target, endpoints);
  if (named && !(inputs.adopt && isSamePlace(named, inputs)))
    throw new NameTakenError(describeTaken(inputs, named), named.id);
  const adopted = inputs.adopt ? (named ?? findBranchEndpoint(inputs, endpoints)) : undefined;
  return adopted && { kind: 'adopted', endpoint: adopted };
}

/** The oldest endpoint of a derived name: if two processes have created one, the oldest stays. */
export function findOwn(
  { derivedNames }: CreateTarget,
  endpoints: readonly Endpoint[],
): Endpoint | undefined {
  const own = endpoints.filter(({ name = '' }) => derivedNames.includes(name));
  return sortBy(own, createdAt, 'id')[0];
}

/**
 * The endpoint of the name that the program gives. If several have it, the oldest of the declared branch and type: a create
 * that was killed may have left it, and another client may have used the name since.
 */
export function findNamed(
  { inputs, derivedNames }: CreateTarget,
  endpoints: readonly Endpoint[],
): Endpoint | undefined {
  if (inputs.name === undefined || derivedNames.includes(inputs.name)) return undefined;
  const named = endpoints.filter(({ name }) => name === inputs.name);
  return sortBy(named, (endpoint) => !isSamePlace(endpoint, inputs), createdAt, 'id')[0];
}

/** The read_write endpoint of the branch; there is at most one. */
export function findBranchEndpoint(
  { branchId, type }: EndpointInputs,
  endpoints: readonly Endpoint[],
): Endpoint | undefined {
  if (type !== 'read_write') return undefined;
  return endpoints.find((endpoint) => endpoint.branch_id === branchId && endpoint.type === 'read_write');
}

/**
 * Younger duplicates that other creates of this resource left: those of a killed process, or repeated while lists lagged
 * behind. An older one stays: the create that it belongs to deletes the endpoint of that id.
 * @param olderMs how much older a duplicate may be: above 0 only once the create that made it has ended. Milliseconds
 */
export function findDuplicates(
  { derivedNames, inputs }: CreateTarget,
  endpoints: readonly Endpoint[],
  id: string,
  olderMs = 0,
): Endpoint[] {
  const kept = endpoints.find((endpoint) => endpoint.id === id);
  if (!kept) return [];
  const isDuplicate = (endpoint: Endpoint) =>
    isBefore(kept, endpoint) || (endpoint.id !== id && createdAt(kept) - createdAt(endpoint) < olderMs);
  const own = endpoints.filter(({ name = '' }) => derivedNames.includes(name));
  return own.filter((endpoint) => isSamePlace(endpoint, inputs) && isDuplicate(endpoint));
}

/** An older endpoint that another process created for the same resource, and may have renamed since. */
export function findOlderDuplicate(
  { derivedNames, inputs }: CreateTarget,
  endpoints: readonly Endpoint[],
  created: Endpoint,
): Endpoint | undefined {
  const names = [...derivedNames, inputs.name];
  // The response to the create may tell another time than the lists, by which every process must decide alike.
  const listed = endpoints.find(({ id }) => id === created.id) ?? created;
  return endpoints.find((endpoint) => {
    // With `adopt` the program may give no name; endpoints without one have nothing else in common.
    const isNamed = endpoint.name !== undefined && names.includes(endpoint.name);
    return isNamed && isSamePlace(endpoint, inputs) && isBefore(endpoint, listed);
  });
}

function createdAt({ created_at }: Endpoint): number {
  return Date.parse(created_at);
}

function isBefore(left: Endpoint, right: Endpoint): boolean {
  const ageMs = createdAt(right) - createdAt(left);
  return ageMs > 0 || (ageMs === 0 && left.id < right.id);
}

function isSamePlace({ branch_id, type }: Endpoint, inputs: EndpointInputs): boolean {
  return branch_id === inputs.branchId && type === inputs.type;
}

function describeTaken(inputs: EndpointInputs, taken: Endpoint): string {
  const now = isSamePlace(taken, inputs)
    ? 'adopt: true takes it over (also if an earlier `pulumi up` created it before it was killed); another name creates a new one.'
    : 'Choose another name.';
  return `create of endpoint "${inputs.name}": the project already has an endpoint of that name, ${taken.id} (${taken.type}, branch ${taken.branch_id}, since ${taken.created_at}). ${now}`;
}

function describeElsewhere({ id, name, branch_id, created_at }: Endpoint): string {
  return `create of endpoint "${name}": the project has an endpoint of the derived name on another branch, ${id} (branch ${branch_id}, since ${created_at}). A stack of the same name in another backend may have created it, or an earlier \`pulumi up\` of this one that was killed. adopt: true moves it to this branch; a \`name\` creates a new one.`;
}
