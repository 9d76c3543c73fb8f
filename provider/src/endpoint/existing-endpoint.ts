import { sortBy } from 'lodash';
import type { Endpoint } from '../control-api/wire-types';
import type { Existing } from '../lifecycle/create-once';
import { ifRenamed } from '../lifecycle/resource-errors';
import { deriveNames } from '../lifecycle/resource-name';
import { endpointArguments } from './endpoint-arguments';
import { type Declaration, type EndpointInputs, inputShape } from './endpoint-inputs';

/** The names by which a create recognises what an earlier try created; no other client uses them. It creates under the first. */
export function derivedNamesOf({ resource, inputs }: Declaration): readonly string[] {
  return deriveNames(resource, inputs, endpointArguments.replacing);
}

/**
 * The endpoint that this create takes over instead of creating one.
 * @throws Error when an endpoint is in the way that must not be taken over
 */
export function findExisting(
  declaration: Declaration,
  endpoints: readonly Endpoint[],
): Existing<Endpoint> | undefined {
  const { inputs, resource } = declaration;
  const [own] = findOwn(declaration, endpoints);
  // The derived name does not include the branch, so an endpoint of that name on another branch may belong to a stack in
  // another backend. Only a program that creates before it deletes can meet its own there, by a forced replacement and a move
  // in one update.
  const isInPlace = own?.branch_id === inputs.branchId || resource.createsBeforeDelete;
  if (own && !isInPlace && !inputs.adopt) throw new Error(describeElsewhere(own));
  const all = findNamed(declaration, endpoints);
  const [named] = all;
  if (named && (own || !(inputs.adopt && isSamePlace(named, inputs))))
    throw new Error(describeTaken(inputs, named, all, own));
  if (own) return { origin: isInPlace ? 'own' : 'adopted', item: own };
  const adopted = inputs.adopt ? (named ?? findBranchEndpoint(inputs, endpoints)) : undefined;
  return adopted && { origin: 'adopted', item: adopted };
}

/** The endpoints of a derived name. If two processes have created one, the oldest, which comes first, stays. */
export function findOwn(declaration: Declaration, endpoints: readonly Endpoint[]): Endpoint[] {
  const derived = derivedNamesOf(declaration);
  const own = endpoints.filter(({ name = '' }) => derived.includes(name));
  return sortBy(own, createdAt, 'id');
}

/**
 * The endpoints with the declared name. The oldest of the declared branch and type, which may be an orphan, comes first: another client
 * may have used the name since.
 */
export function findNamed(declaration: Declaration, endpoints: readonly Endpoint[]): Endpoint[] {
  const { inputs } = declaration;
  if (inputs.name === undefined || derivedNamesOf(declaration).includes(inputs.name)) return [];
  const named = endpoints.filter(({ name }) => name === inputs.name);
  return sortBy(named, (endpoint) => !isSamePlace(endpoint, inputs), createdAt, 'id');
}

/** Why it is not clear which endpoint `adopt` means; undefined when it is. */
export function describeAmbiguity(
  declaration: Declaration,
  endpoints: readonly Endpoint[],
): string | undefined {
  const [named] = findNamed(declaration, endpoints);
  const holder = findBranchEndpoint(declaration.inputs, endpoints);
  if (!named || !holder || named.id === holder.id) return undefined;
  return `can mean two endpoints: ${named.id} by the name, on branch ${named.branch_id}, and ${holder.id}, the read_write endpoint of branch ${holder.branch_id}. Give the name or the branch of the one to take over`;
}

/** The read_write endpoint of the branch; there is at most one. */
export function findBranchEndpoint(
  { branchId, type }: EndpointInputs,
  endpoints: readonly Endpoint[],
): Endpoint | undefined {
  if (type !== 'read_write') return undefined;
  return endpoints.find((endpoint) => endpoint.branch_id === branchId && endpoint.type === 'read_write');
}

function createdAt({ created_at }: Endpoint): number {
  return Date.parse(created_at);
}

/**
 * A sentence for each other endpoint that an earlier create of this resource has made: a request that arrived after its run had
 * ended, or a replacement by the other type that was killed, and then reverted.
 */
export function describeDuplicates(
  { resource, inputs }: Declaration,
  endpoints: readonly Endpoint[],
  id: string,
): string[] {
  const names = inputShape.type.options.flatMap((type) =>
    derivedNamesOf({ resource, inputs: { ...inputs, type } }),
  );
  const isDuplicate = ({ name = '', ...other }: Endpoint) => names.includes(name) && other.id !== id;
  return endpoints
    .filter(isDuplicate)
    .map(
      (other) =>
        `endpoint ${other.id} (created ${other.created_at}) is a duplicate: it has the derived name of this resource, but is not in this state. If no other run or stack uses it, \`postgres-compute endpoints delete ${other.id} --project ${inputs.projectId}\` deletes it`,
    );
}

function isSamePlace({ branch_id, type }: Endpoint, inputs: EndpointInputs): boolean {
  return branch_id === inputs.branchId && type === inputs.type;
}

function describeTaken(
  inputs: EndpointInputs,
  taken: Endpoint,
  all: readonly Endpoint[],
  own: Endpoint | undefined,
): string {
  const adopt = `adopt: true takes over ${taken.id} (also if an earlier \`pulumi up\` created it before it was killed); another name creates a new one. ${ifRenamed}.`;
  const other = own
    ? `Choose another name for ${own.id}, which an earlier \`pulumi up\` created.`
    : 'With its branch and type, adopt: true takes it over; another name creates a new one.';
  const now = isSamePlace(taken, inputs) && !own ? adopt : other;
  const which = all
    .map(
      ({ id, type, branch_id, created_at }) => `${id} (${type}, branch ${branch_id}, created ${created_at})`,
    )
    .join(', ');
  const several = 'If a killed `pulumi up` created one of them, no state has that one: delete or import it.';
  return all.length > 1
    ? `create of endpoint "${inputs.name}": the project already has endpoints of that name: ${which}. ${now} ${several}`
    : `create of endpoint "${inputs.name}": the project already has an endpoint of that name, ${which}. ${now}`;
}

function describeElsewhere({ id, name, branch_id, created_at }: Endpoint): string {
  return `create of endpoint "${name}": the project has an endpoint of the derived name on another branch, ${id} (branch ${branch_id}, created ${created_at}). A stack of the same name in another backend may have created it, or an earlier \`pulumi up\` of this one that was killed. adopt: true moves it to this branch; another Pulumi name creates a new one.`;
}
