import { setTimeout as sleep } from 'node:timers/promises';
import { sortBy } from 'lodash';
import { ControlApiError } from '../control-api/control-api-error';
import { Deadline } from '../control-api/deadline';
import type { Endpoint, EndpointChange } from '../control-api/wire-types';
import { describeBlockers } from '../display/progress';
import type { EndpointClaims } from './endpoint-claims';
import type { EndpointInputs } from './endpoint-inputs';
import { hashName } from './endpoint-name';
import type { EndpointWork } from './endpoint-operations';
import { deriveInputName, toCreateAttributes } from './endpoint-outputs';

/** A list of endpoints that is older than this is not proof enough that there is no such endpoint. Milliseconds. */
const listKeepsMs = 5_000;
/** How long to pause before the list is read again: twice as long each time. Milliseconds. */
const relistPauseMs = { first: 100, longest: 1_000 };
/** How long such a list may take. Milliseconds. */
const longestListMs = 30_000;

/** An endpoint that was made now; one that an earlier try has made, whose response never arrived; or one to adopt. */
export type Creation =
  | { readonly kind: 'new'; readonly change: EndpointChange }
  | { readonly kind: 'own' | 'adopted'; readonly endpoint: Endpoint };

export type CreateWork = Omit<EndpointWork, 'endpointId' | 'action' | 'allowsRestart'> & {
  readonly claims: EndpointClaims;
};

/**
 * Makes the endpoint exactly once, however often it is called. It is made under the derived name, which nobody else
 * gives, so the endpoint is looked up by that name before the first request, after every request whose outcome is
 * unknown, and after a long wait for the project's lock. A name of the user's own is given to it as the last step.
 */
export async function createOnce(work: CreateWork): Promise<Creation> {
  const { project, inputs, deadline, progress } = work;
  const list = deadline.bound(project.endpoints.recent(listKeepsMs), 'list of the endpoints');
  const found = findExisting(inputs, await list);
  if (found) return found;
  const listedAt = Date.now();
  const attributes = toCreateAttributes({ ...inputs, name: nameAtCreation(inputs) });
  return project.write<Creation>({
    deadline,
    isLookupDue: () => Date.now() - listedAt > listKeepsMs,
    findDone: () => findAfterLostResponse(work),
    send: async () => {
      try {
        const change = await project.api.createEndpoint(project.id, attributes, deadline);
        return { kind: 'new', change };
      } catch (error) {
        if (error instanceof ControlApiError && error.isConflict) return explainConflict(work, error);
        throw error;
      }
    },
    onLocked: (blocking) => progress.show(describeBlockers(blocking), deadline.elapsedMs),
    startedBy: (creation) => (creation.kind === 'new' ? creation.change.operations : []),
  });
}

/** The name under which the endpoint is made and found again. @throws Error when it can't be derived */
export function nameAtCreation(inputs: EndpointInputs): string {
  const name = deriveInputName(inputs) ?? inputs.name;
  if (name !== undefined) return name;
  throw new Error('create of an endpoint: it has neither a name nor a URN to derive one from.');
}

/**
 * The endpoint that this create stands for already: its own by the derived name, or the one that it is to adopt.
 * @throws Error when an endpoint is in the way that must not be taken over
 */
export function findExisting(inputs: EndpointInputs, endpoints: readonly Endpoint[]): Creation | undefined {
  const own = findOwn(inputs, endpoints);
  // The derived name covers no branch; whose endpoint it is on another one, another backend's perhaps, is not known.
  // Only a program that creates before it deletes can meet its own there: a forced replacement and a move in one.
  const isOwnPlace = own?.branch_id === inputs.branchId || inputs.__createsBeforeDelete === true;
  if (own && isOwnPlace) return { kind: 'own', endpoint: own };
  if (own && !inputs.adopt) throw new Error(describeElsewhere(own));
  if (own) return { kind: 'adopted', endpoint: own };
  const named = findNamed(inputs, endpoints);
  if (named && !(inputs.adopt && isSamePlace(named, inputs))) throw new Error(describeTaken(inputs, named));
  const adopted = inputs.adopt ? (named ?? findBranchEndpoint(inputs, endpoints)) : undefined;
  return adopted && { kind: 'adopted', endpoint: adopted };
}

/**
 * The derived names under which this or an earlier create may have made the endpoint: a forced replacement (`--replace`,
 * taint) does not learn of the old endpoint, so its name does not cover that one's.
 */
export function namesAtCreation(inputs: EndpointInputs): readonly (string | undefined)[] {
  const { __replaces: replaced, ...forced } = inputs;
  const names = [deriveInputName(inputs), deriveInputName(forced)];
  return names.filter((name) => name !== undefined && hashName(name) !== replaced);
}

/** The oldest endpoint of the derived name: where two processes have made the same one, it is the one that stays. */
export function findOwn(inputs: EndpointInputs, endpoints: readonly Endpoint[]): Endpoint | undefined {
  const names = namesAtCreation(inputs);
  const own = endpoints.filter(({ name }) => names.includes(name));
  return sortBy(own, ({ created_at }) => Date.parse(created_at), 'id')[0];
}

/** The endpoint that has the name which the program gives. */
export function findNamed(inputs: EndpointInputs, endpoints: readonly Endpoint[]): Endpoint | undefined {
  if (inputs.name === undefined || inputs.name === deriveInputName(inputs)) return undefined;
  return endpoints.find(({ name }) => name === inputs.name);
}

/** The read_write endpoint of the branch; there is at most one. */
export function findBranchEndpoint(
  { branchId, type }: EndpointInputs,
  endpoints: readonly Endpoint[],
): Endpoint | undefined {
  if (type !== 'read_write') return undefined;
  return endpoints.find((endpoint) => endpoint.branch_id === branchId && endpoint.type === 'read_write');
}

export function isSamePlace({ branch_id, type }: Endpoint, inputs: EndpointInputs): boolean {
  return branch_id === inputs.branchId && type === inputs.type;
}

function describeTaken(inputs: EndpointInputs, taken: Endpoint): string {
  const now = isSamePlace(taken, inputs)
    ? 'adopt: true takes it over (also when it is what an earlier `pulumi up` made before it was killed); another name makes a new one.'
    : 'Choose another name.';
  return `create of endpoint "${inputs.name}": the project already has an endpoint of that name, ${taken.id} (${taken.type}, branch ${taken.branch_id}, since ${taken.created_at}). ${now}`;
}

function describeElsewhere({ id, name, branch_id, created_at }: Endpoint): string {
  return `create of endpoint "${name}": the project has an endpoint of the derived name on another branch, ${id} (branch ${branch_id}, since ${created_at}). A stack of the same name in another backend may have made it, or an earlier \`pulumi up\` of this one that was killed. adopt: true moves it to this branch; a \`name\` makes a new one.`;
}

/** After a request whose outcome is unknown: the endpoint, once a list shows it. */
async function findAfterLostResponse({
  project,
  inputs,
  deadline,
}: CreateWork): Promise<Creation | undefined> {
  // A second read_write endpoint is refused by the branch; a second replica would be made. So it takes a list that must
  // show the first one.
  const graceMs = inputs.type === 'read_write' ? 0 : Math.min(project.graceMs, deadline.remainingMs);
  return relist(project, graceMs, (endpoints) => {
    const endpoint = findOwn(inputs, endpoints);
    return endpoint && { kind: 'own', endpoint };
  });
}

async function explainConflict(work: CreateWork, conflict: ControlApiError): Promise<Creation> {
  const { project, inputs, claims, deadline } = work;
  const graceMs = Math.min(project.graceMs, deadline.remainingMs);
  const met = await relist(project, graceMs, (endpoints) => {
    const existing = findExisting(inputs, endpoints);
    const holder = findBranchEndpoint(inputs, endpoints);
    return existing || holder ? { existing, holder } : undefined;
  });
  if (met?.existing) return met.existing;
  if (!met?.holder) throw conflict;
  const { holder } = met;
  const leaver = claims.leaverOf(holder.id);
  const now = leaver
    ? `This update moves it to another branch: add its resource (${leaver}) to \`dependsOn\` of this one, so that it moves first`
    : 'adopt: true takes it over; type read_only makes a replica beside it; if this update deletes its resource, run `pulumi up` again';
  throw new Error(`${conflict.message}. The read_write endpoint of the branch is ${holder.id}. ${now}.`, {
    cause: conflict,
  });
}

/** Lists the endpoints until one of them is what is looked for, for as long as reads may lag behind. */
async function relist<Found>(
  { endpoints }: CreateWork['project'],
  graceMs: number,
  find: (endpoints: readonly Endpoint[]) => Found | undefined,
): Promise<Found | undefined> {
  const grace = new Deadline(graceMs);
  for (let pauseMs = relistPauseMs.first; ; pauseMs = Math.min(relistPauseMs.longest, pauseMs * 2)) {
    const found = find(await new Deadline(longestListMs).bound(endpoints.fresh(), 'list of the endpoints'));
    if (found !== undefined || grace.hasPassed) return found;
    await sleep(Math.min(pauseMs, grace.remainingMs));
  }
}
