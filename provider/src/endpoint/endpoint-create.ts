import { union } from 'lodash';
import type { Endpoint, EndpointChange } from '../control-api/wire-types';
import { createOnce } from './create-once';
import type { CreateWork } from './create-work';
import { findDrift, findLeftovers } from './drift';
import { deleteEndpoint } from './endpoint-delete';
import { EndpointGoneError } from './endpoint-error';
import { EndpointRun } from './endpoint-run';
import type { EndpointOutputs } from './endpoint-state';
import {
  type ExistingEndpoint,
  findDuplicates,
  findOlderDuplicate,
  NameTakenError,
} from './existing-endpoint';

export interface CreateRequest extends CreateWork {
  readonly allowsRestart: boolean;
  /** Claims the endpoint for the resource. @throws Error when it belongs to another one */
  readonly claim: (endpointId: string) => void;
}

interface Created {
  readonly id: string;
  readonly outputs: EndpointOutputs;
}

/** Enough for a stale list that shows a deleted endpoint, and for another process that creates the endpoint first. */
const mostAttempts = 3;

/**
 * Creates the endpoint, or takes over the existing one, and updates it to what is declared.
 * @throws UnsettledEndpointError when the endpoint exists, but not as declared: it is kept in state
 */
export async function createEndpoint(request: CreateRequest): Promise<Created> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const creation = await createOnce(request);
      if (creation.kind === 'new') return await finishNew(request, creation.change);
      return await takeOver(request, creation);
    } catch (error) {
      const isGone =
        error instanceof EndpointGoneError ||
        (error instanceof NameTakenError && (await hideIfGone(request, error.takenBy)));
      if (!isGone || attempt === mostAttempts) throw error;
    }
  }
}

/** Whether a listed endpoint no longer exists by its id. If so, hides it from later lists. */
async function hideIfGone({ project, deadline }: CreateRequest, { id }: Endpoint): Promise<boolean> {
  if (await project.endpoints.exists(id, project.readLagMs, deadline)) return false;
  project.endpoints.hide(id);
  return true;
}

async function finishNew(request: CreateRequest, change: EndpointChange): Promise<Created> {
  const { project, deadline } = request;
  const { id } = change.endpoint;
  request.claim(id);
  const run = startRun(request, change.endpoint, true);
  const finish = async () => {
    await run.awaitChange(change);
    const finished = await run.finish('name');
    // A list that shows this endpoint shows an older one too.
    if (await deleteIfDuplicate(request, change.endpoint, project.endpoints.latest)) return undefined;
    await deleteDuplicates(request, id);
    return run.finishNamed(finished);
  };
  const finished = finish().catch(async (error: unknown) => {
    // The failure may come from the older endpoint's create, which deletes this one.
    const isGone = async () => deleteIfDuplicate(request, change.endpoint, await project.endpoints.fresh());
    if (!deadline.hasPassed && (await isGone().catch(() => false))) return undefined;
    throw error;
  });
  const outputs = await run.keepInState(finished);
  if (outputs) return { id, outputs };
  throw new EndpointGoneError(
    `create of endpoint ${id}: another process created an endpoint first for the same resource, so this duplicate was deleted.`,
  );
}

/** Deletes the new endpoint if another process with the same program created one before it. */
async function deleteIfDuplicate(
  { project, target, deadline, progress }: CreateRequest,
  created: Endpoint,
  endpoints: readonly Endpoint[],
): Promise<boolean> {
  if (!findOlderDuplicate(target, endpoints, created)) return false;
  await deleteEndpoint(project, created.id, deadline, progress);
  return true;
}

async function takeOver(request: CreateRequest, { kind, endpoint }: ExistingEndpoint) {
  const { inputs, target } = request;
  const { id } = endpoint;
  if (await hideIfGone(request, endpoint))
    throw new EndpointGoneError(`create of endpoint ${id}: the service listed it, but it no longer exists.`);
  const isOwn = kind === 'own';
  const run = startRun(request, endpoint);
  const differing = findDrift(endpoint, inputs).filter((name) => !isOwn || name !== 'name');
  // A forced replacement that keeps the endpoint must also reset what an earlier program has set.
  const isKept = isOwn && target.createsBeforeDelete;
  const changes = isKept ? union(differing, findLeftovers(endpoint, inputs)) : differing;
  // Check the gate before claiming: an adopted endpoint that must not be changed must not enter the state.
  if (!isOwn) await run.checkGate(changes);
  request.claim(id);
  const finish = async () => {
    await run.resume(await run.findEarlier(isOwn), changes);
    const finished = await run.finish('name');
    if (isOwn) await deleteDuplicates(request, id);
    return run.finishNamed(finished);
  };
  return { id, outputs: await run.keepInState(finish()) };
}

/** Deletes what other creates of this resource left: those that were killed, or that another process runs now. */
async function deleteDuplicates(request: CreateRequest, id: string) {
  const { project, target, claims, deadline, progress } = request;
  const duplicates = findDuplicates(target, project.endpoints.latest, id);
  // A resource that was renamed keeps the derived name of its old URN, which a new resource may have now.
  const unclaimed = duplicates.filter((each) => claims.keeperOf(each.id, undefined) === undefined);
  for (const duplicate of unclaimed) await deleteEndpoint(project, duplicate.id, deadline, progress);
}

function startRun(request: CreateRequest, endpoint: Endpoint, isNew = false): EndpointRun {
  return new EndpointRun({ ...request, action: 'create', endpointId: endpoint.id }, endpoint, isNew);
}
