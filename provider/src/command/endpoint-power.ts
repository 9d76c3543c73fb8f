import type { PowerVerb } from '../control-api/control-api';
import { ControlApiError } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import type { Endpoint, EndpointChange, Operation } from '../control-api/wire-types';
import type { ServiceProject } from '../operations/service-project';
import { stateLabel } from './endpoint-table';
import { CommandFailure, exitCodes } from './exit-codes';

interface PowerRequest {
  readonly endpointId: string;
  readonly verb: PowerVerb;
  readonly deadline: Deadline;
  readonly onLocked: (blocking: readonly Operation[]) => void;
}

/**
 * Starts, suspends or restarts a compute, as soon as its project is unlocked.
 * @throws CommandFailure for a restart of a compute that is not active
 */
export async function controlPower(project: ServiceProject, request: PowerRequest): Promise<EndpointChange> {
  const { endpointId, verb, deadline, onLocked } = request;
  const findDone = await makeLookup(project, request);
  try {
    return await project.write({
      deadline,
      send: () => project.api.controlEndpoint(project.id, endpointId, verb, deadline),
      findDone,
      onLocked,
      startedBy: ({ operations }) => operations,
    });
  } catch (error) {
    throw verb === 'restart' ? await explainRefusal(error, project, endpointId) : error;
  }
}

/** Returns a lookup for a request with an unknown outcome: what the request did, or undefined. */
async function makeLookup(project: ServiceProject, { endpointId, verb }: PowerRequest) {
  // A repeated start or suspend has no effect, so it needs no lookup.
  if (verb !== 'restart') return async () => undefined;
  const starts = async () => {
    const { operations } = await project.api.listOperations(project.id, { limit: 100 });
    return operations.filter(
      ({ endpoint_id, action }) => endpoint_id === endpointId && action === 'start_compute',
    );
  };
  const known = new Set((await starts()).map(({ id }) => id));
  return async (): Promise<EndpointChange | undefined> => {
    const operations = (await starts()).filter(({ id }) => !known.has(id));
    if (operations.length === 0) return undefined;
    return { endpoint: await project.api.getEndpoint(project.id, endpointId), operations };
  };
}

const refusals: ReadonlySet<number | undefined> = new Set([400, 409, 412, 422]);

async function explainRefusal(error: unknown, project: ServiceProject, endpointId: string): Promise<unknown> {
  if (!(error instanceof ControlApiError && refusals.has(error.status))) return error;
  const endpoint = await project.api.getEndpoint(project.id, endpointId).catch(() => undefined);
  if (!endpoint || endpoint.current_state === 'active') return error;
  return new CommandFailure(exitCodes.refused, describeRefusal(endpoint, error), { cause: error });
}

function describeRefusal(endpoint: Endpoint, { status }: ControlApiError): string {
  const now = endpoint.disabled
    ? 'enable the endpoint first'
    : `start it with \`postgres-compute endpoints start ${endpoint.id} --project ${endpoint.project_id}\``;
  const refused = `Endpoint ${endpoint.id} is ${stateLabel(endpoint)}, and the service restarts only an active compute`;
  return `${refused} (status ${status}): ${now}.`;
}
