import type { Endpoint, EndpointChange } from './control-api/wire-types';
import { type CreateWork, type Creation, createOnce, findOwn, namesAtCreation } from './create-once';
import { deleteEndpoint } from './endpoint-delete';
import { EndpointGoneError } from './endpoint-error';
import { EndpointRun } from './endpoint-run';
import type { EndpointOutputs } from './endpoint-state';
import { findDeviations } from './endpoint-state';

export interface CreateRequest extends CreateWork {
  readonly allowsRestart: boolean;
  /** Claims the endpoint for the resource. @throws Error when it belongs to another one */
  readonly claim: (endpointId: string) => void;
}

interface Created {
  readonly id: string;
  readonly outs: EndpointOutputs;
}

/** A list that lags behind can show what is gone, and another process can be faster; more often than this is neither. */
const mostAttempts = 3;

/**
 * Creates the endpoint, or takes over the one that this create stands for, and brings it to what is declared.
 * @throws UnsettledEndpointError when the endpoint exists, but not as declared: it is kept in state
 */
export async function createEndpoint(request: CreateRequest): Promise<Created> {
  for (let attempt = 1; ; attempt += 1) {
    const creation = await createOnce(request);
    try {
      if (creation.kind === 'new') return await bringUp(request, creation.change);
      return await takeOver(request, creation);
    } catch (error) {
      if (!(error instanceof EndpointGoneError) || attempt === mostAttempts) throw error;
    }
  }
}

async function bringUp(request: CreateRequest, change: EndpointChange): Promise<Created> {
  const { project, inputs, deadline, progress } = request;
  const { id } = change.endpoint;
  request.claim(id);
  const run = startRun(request, change.endpoint, true);
  const outs = await run.keepInState(
    (async () => {
      await run.settle(change);
      await giveName(request, run, change.endpoint);
      return run.finish();
    })(),
  );
  const elder = findOwn(inputs, project.endpoints.latest);
  if (!elder || elder.id === id || isYounger(elder, change.endpoint)) return { id, outs };
  // Another process, whose program was the same, has made the endpoint as well, and before this one.
  await deleteEndpoint(project, id, deadline, progress);
  throw new EndpointGoneError(
    `create of endpoint ${id}: endpoint ${elder.id} is the same resource's, and older.`,
  );
}

async function takeOver(request: CreateRequest, { kind, endpoint }: Exclude<Creation, { kind: 'new' }>) {
  const { project, inputs, deadline, progress } = request;
  const { id } = endpoint;
  const isOwn = kind === 'own';
  const run = startRun(request, endpoint);
  const changes = findDeviations(endpoint, inputs).filter((name) => !isOwn || name !== 'name');
  try {
    // An endpoint that this create has not made does not come into state when it must not be changed.
    if (!isOwn) await run.checkGate(changes);
    request.claim(id);
    const outs = await run.keepInState(
      (async () => {
        await run.resume(await run.findEarlier(), changes);
        if (isOwn) await giveName(request, run, endpoint);
        return run.finish();
      })(),
    );
    for (const twin of findTwins(request, id)) await deleteEndpoint(project, twin.id, deadline, progress);
    return { id, outs };
  } catch (error) {
    if (error instanceof EndpointGoneError) project.endpoints.noteDeleted(id);
    throw error;
  }
}

/** The last step: until here the endpoint is found again by the derived name. */
async function giveName({ inputs }: CreateRequest, run: EndpointRun, { name }: Endpoint): Promise<void> {
  if (inputs.name !== undefined && inputs.name !== name) await run.apply(['name']);
}

/** What a create that was repeated while lists lagged behind has made besides. */
function findTwins({ project, inputs }: CreateRequest, id: string): Endpoint[] {
  const own = namesAtCreation(inputs);
  return project.endpoints.latest.filter(({ name, ...twin }) => own.includes(name) && twin.id !== id);
}

function isYounger(left: Endpoint, right: Endpoint): boolean {
  return Date.parse(left.created_at) > Date.parse(right.created_at);
}

function startRun(request: CreateRequest, endpoint: Endpoint, isNew = false): EndpointRun {
  return new EndpointRun({ ...request, action: 'create', endpointId: endpoint.id }, endpoint, isNew);
}
