import type { ControlApi } from '../control-api/control-api';
import { isNotFound } from '../control-api/control-api-error';
import type { Operation } from '../control-api/wire-types';
import { isUnfinished } from '../operations/operation-outcome';
import { listOperationsSince } from '../operations/operation-pages';
import type { OperationPoller, OperationSource } from '../operations/operation-poller';
import { type AwaitRequest, awaitOperations, type WaitResult } from '../operations/wait-for-operations';

/** The parts of a ServiceProject that a wait needs. */
export interface WatchedProject {
  readonly id: string;
  readonly api: OperationSource & Pick<ControlApi, 'getEndpoint'>;
  readonly poller: OperationPoller;
}

export type WaitRequest = Pick<AwaitRequest, 'deadline' | 'onProgress'>;

/**
 * Waits until one operation has finished or failed, but not for the operations that follow it.
 * @throws ControlApiError 404 when the project has no such operation
 */
export async function awaitOperation(
  project: WatchedProject,
  operationId: string,
  request: WaitRequest,
): Promise<WaitResult> {
  return awaitNamed(project, [await project.api.getOperation(project.id, operationId)], request);
}

/**
 * Waits until all operations that are unfinished now have finished or failed: those of the whole project, or those of
 * one endpoint and any that the service starts for it in the meantime. Nothing unfinished counts as success.
 * @throws ControlApiError 404 when the project has no such endpoint
 */
export async function awaitUnfinished(
  project: WatchedProject,
  endpointId: string | undefined,
  request: WaitRequest,
): Promise<WaitResult> {
  if (endpointId === undefined) return awaitNamed(project, await listUnfinished(project, 0), request);
  const endpoint = await project.api.getEndpoint(project.id, endpointId).catch((error: unknown) => {
    if (isNotFound(error)) return error;
    throw error;
  });
  const isGone = endpoint instanceof Error;
  const since = isGone ? 0 : Date.parse(endpoint.created_at);
  const unfinished = await listUnfinished(project, since);
  const operations = unfinished.filter(({ endpoint_id }) => endpoint_id === endpointId);
  // Neither an operation nor the endpoint exists: the id is wrong, which must not count as success.
  if (operations.length === 0 && isGone) throw endpoint;
  const own = { endpointId, operations, followsSuspension: true, rejectsVanished: true };
  return awaitOperations(project.poller, { ...request, ...own });
}

async function listUnfinished({ api, id }: WatchedProject, since: number): Promise<Operation[]> {
  return (await listOperationsSince(api, id, () => since)).filter(isUnfinished);
}

/** Without a read lag: a read has just shown these operations, so a missing one has disappeared. */
function awaitNamed(
  { poller }: WatchedProject,
  operations: readonly Operation[],
  request: WaitRequest,
): Promise<WaitResult> {
  return awaitOperations(poller, { ...request, operations, readLagMs: 0, rejectsVanished: true });
}
