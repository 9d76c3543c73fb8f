import type { Endpoint, EndpointChange } from '../control-api/wire-types';
import { GoneError, TakenError } from '../lifecycle/resource-errors';
import { argumentNames } from './argument-effects';
import { createOnce } from './create-once';
import { type CreateWork, findListed } from './create-work';
import { findTakeOverChanges } from './drift';
import { deleteDuplicates, findDuplicates, findOlderDuplicate } from './duplicates';
import { deleteEndpoint } from './endpoint-delete';
import { EndpointRun } from './endpoint-run';
import type { EndpointOutputs } from './endpoint-state';
import { type ExistingEndpoint, newerOf } from './existing-endpoint';

export interface CreateRequest extends CreateWork {
  readonly allowsRestart: boolean;
}

interface Created {
  readonly id: string;
  readonly outputs: EndpointOutputs;
}

/** Enough for a stale list that shows a deleted endpoint, and for another process that creates the endpoint first. */
const mostAttempts = 3;

/**
 * Creates the endpoint, or takes over the existing one, and updates it to what is declared.
 * @throws UnsettledError when the endpoint exists, but not as declared: it is kept in state
 */
export async function createEndpoint(request: CreateRequest): Promise<Created> {
  const { project, deadline } = request;
  let mayHaveTwin = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const creation = await createOnce(request);
      if (creation.kind === 'new') return await finishNew(request, creation.change);
      return await takeOver(request, { ...creation, mayHaveTwin: mayHaveTwin || creation.mayHaveTwin });
    } catch (error) {
      // It may have failed to delete the endpoint that it created. Any other cause only makes the next attempt wait for lists.
      mayHaveTwin ||= error instanceof GoneError && error.cause !== undefined;
      const isGone =
        error instanceof GoneError ||
        (error instanceof TakenError &&
          (await error.isStale((id) => project.endpoints.hideIfGone(id, project.readLagMs, deadline))));
      if (!isGone || attempt === mostAttempts || deadline.hasPassed) throw error;
    }
  }
}

async function finishNew(request: CreateRequest, change: EndpointChange): Promise<Created> {
  const { project, target, claims, declaration, deadline, progress } = request;
  const { id } = change.endpoint;
  claims.claimCreated(id, declaration);
  const run = startRun(request, change.endpoint, true);
  run.mayHaveDuplicates = true;
  /**
   * Whether this endpoint is being deleted for an older one that the next create takes over. It must not enter the state
   * then: an update would take it for the one to keep, and delete the older one.
   */
  let givesWay = false;
  /** Why deleting this endpoint failed. */
  let whyLeft: unknown;
  /** The endpoint that another process with the same program created before. */
  const findOlder = (endpoints: readonly Endpoint[]) => {
    const older = findOlderDuplicate(target, endpoints, change.endpoint);
    givesWay ||= older?.name !== undefined && target.derivedNames.includes(older.name);
    return older;
  };
  const finish = async () => {
    await run.awaitChange(change);
    const finished = await run.finish({ except: 'name' });
    // A list that shows this endpoint shows an older one too.
    if (!findOlder(project.endpoints.latest)) {
      run.mayHaveDuplicates = !(await deleteDuplicates(request, id));
      return run.finishNamed(finished);
    }
    await deleteEndpoint(project, id, deadline, progress);
    return undefined;
  };
  const finished = finish().catch(async (error: unknown) => {
    // The failure may come from the older endpoint's create, which deletes this one. A list that shows neither one is stale.
    const judge = (endpoints: readonly Endpoint[]) =>
      findOlder(endpoints) !== undefined ||
      (endpoints.some((listed) => listed.id === id) ? false : undefined);
    const isDuplicate =
      givesWay || (!deadline.hasPassed && (await findListed(request, judge).catch(() => false)));
    if (!isDuplicate) return failWithoutDuplicates(request, id, error);
    // If this fails, the take-over of an older endpoint of the derived name repeats it. Otherwise this endpoint stays in state.
    await deleteEndpoint(project, id, deadline, progress).catch((deletion: unknown) => {
      if (!givesWay) throw error;
      whyLeft = deletion;
    });
    return undefined;
  });
  const outputs = await run.keepInState(finished);
  if (outputs) return { id, outputs };
  throw new GoneError(
    `create of endpoint ${id}: another process created an endpoint first for the same resource, and this duplicate gives way to it.${givesWay ? ' The next `pulumi up` takes that one over.' : ''}`,
    { cause: whyLeft },
  );
}

async function takeOver(request: CreateRequest, { kind, endpoint: listed, mayHaveTwin }: ExistingEndpoint) {
  const { inputs, target, project, deadline } = request;
  const foundAt = Date.now();
  const { id } = listed;
  const isOwn = kind === 'own';
  // A stale list may show the derived name of an endpoint that a finished create has renamed: the old one of a replacement.
  const isSame = (now: Endpoint) =>
    !isOwn || [listed.name, inputs.name].includes(now.name) || newerOf(listed, now) === listed;
  const now = await project.endpoints.findOrHide(id, project.readLagMs, deadline, isSame);
  if (!now) throw new GoneError(`create of endpoint ${id}: the service listed it, but it no longer exists.`);
  const endpoint = newerOf(listed, now);
  // What an earlier create of this resource set may be a secret.
  const run = startRun(isOwn ? { ...request, secretNames: argumentNames } : request, endpoint);
  run.mayHaveDuplicates = isOwn;
  run.takesOver = isOwn;
  if (isOwn) request.claims.noteTakenOver(request.declaration.resource.urn);
  const toChanges = (current: Endpoint) =>
    findTakeOverChanges(current, inputs, isOwn).filter((name) => !isOwn || name !== 'name');
  const changes = toChanges(endpoint);
  const isRenameDue = inputs.name !== undefined && inputs.name !== endpoint.name;
  // Check the gate before claiming: an adopted endpoint that must not be changed must not enter the state.
  if (!isOwn) await run.checkGate(changes);
  request.claims.claimCreated(id, request.declaration);
  const apply = async () => {
    // A duplicate may hold the branch that this endpoint moves to.
    if (isOwn && changes.includes('branchId')) await deleteDuplicates(request, id);
    // `adopt` marks an unfinished take-over in state, even if no argument differs: an operation of the earlier create may have failed.
    await run.resume(await run.findEarlier(isOwn, ['adopt', ...changes]), changes);
    const { name } = endpoint;
    if (changes.length === 0 && !isRenameDue && name !== undefined) await run.confirm(name);
    await run.applyMissed(toChanges, changes);
    return run.finish({ except: 'name' });
  };
  const finish = async () => {
    if (!isOwn) return run.finishNamed(await apply());
    const finished = await apply().catch((error: unknown) => {
      if (mayHaveTwin) throw error;
      return failWithoutDuplicates(request, id, error);
    });
    // An earlier run may have created this endpoint, and this run a second one that lists do not show yet.
    const lagMs = mayHaveTwin ? project.readLagMs - (Date.now() - foundAt) : 0;
    if (lagMs > 0) await findListed(request, (listed) => findDuplicates(target, listed, id)[0], lagMs);
    run.mayHaveDuplicates = !(await deleteDuplicates(request, id));
    return run.finishNamed(finished, isRenameDue);
  };
  return { id, outputs: await run.keepInState(finish()) };
}

/**
 * Fails, and first deletes the duplicates that are listed; the next update looks again, as the list may lag behind. If the
 * endpoint no longer exists, the next attempt takes over the oldest of them instead: another process may keep it.
 */
async function failWithoutDuplicates(request: CreateRequest, id: string, error: unknown): Promise<never> {
  const isGone = error instanceof GoneError;
  if (!isGone && !request.deadline.hasPassed) await deleteDuplicates(request, id).catch(() => false);
  throw error;
}

function startRun(request: CreateRequest, endpoint: Endpoint, isNew = false): EndpointRun {
  return new EndpointRun({ ...request, action: 'create', endpointId: endpoint.id }, endpoint, isNew);
}
