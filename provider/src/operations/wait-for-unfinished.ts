import type { ControlApi } from '../control-api/control-api';
import { isNotFound } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { isUnfinished } from './operation-outcome';
import { listOperationsSince } from './operation-pages';
import type { OperationPoller, OperationSource } from './operation-poller';
import { awaitOperations, conclude, type WaitResult } from './wait-for-operations';

/** What waiting needs of a ServiceProject. */
export interface WatchedProject {
  readonly id: string;
  readonly api: OperationSource & Pick<ControlApi, 'getEndpoint'>;
  readonly poller: OperationPoller;
}

export interface WaitRequest {
  readonly deadline: Deadline;
  /** Called with the operations as they now stand, after each look. */
  readonly onProgress?: ((operations: readonly Operation[]) => void) | undefined;
}

/**
 * Waits until the operation has ended; those that follow it do not count.
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
 * Waits until everything that is unfinished now has ended: in the whole project, or for one endpoint and then with
 * whatever the service starts for that endpoint meanwhile. Nothing unfinished counts as success.
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
  const own = unfinished.filter(({ endpoint_id }) => endpoint_id === endpointId);
  // No operation and no endpoint either: the id is wrong, which must not pass for success.
  if (own.length === 0 && isGone) throw endpoint;
  const result = await awaitOperations(project.poller, {
    ...request,
    endpointId,
    operations: own,
    followsSuspension: true,
  });
  if (!result.hasVanished) return result;
  throw new Error(
    `The service no longer has an unfinished operation of endpoint ${endpointId}, so its outcome is unknown.`,
  );
}

async function listUnfinished({ api, id }: WatchedProject, since: number): Promise<Operation[]> {
  return (await listOperationsSince(api, id, () => since)).filter(isUnfinished);
}

async function awaitNamed(
  { poller }: WatchedProject,
  operations: readonly Operation[],
  { deadline, onProgress }: WaitRequest,
): Promise<WaitResult> {
  let latest = operations;
  const unfinished = () => latest.filter(isUnfinished);
  if (unfinished().length === 0) return conclude(latest);
  onProgress?.(latest);
  return poller.watch<WaitResult>({
    deadline,
    operations: unfinished,
    judge: (view) => {
      latest = latest.map((operation) => view.find(operation.id) ?? keepEnded(operation));
      onProgress?.(latest);
      return unfinished().length > 0 ? undefined : conclude(latest);
    },
    expire: () => conclude(latest),
  });
}

/** @throws Error for one that was unfinished: that it is forgotten does not tell how it ended */
function keepEnded(operation: Operation): Operation {
  if (!isUnfinished(operation)) return operation;
  throw new Error(
    `The service no longer has operation ${operation.id} (${operation.action}), so its outcome is unknown.`,
  );
}
