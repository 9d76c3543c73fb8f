import { defaultTimeoutSeconds } from '../config/timeouts';
import type { ControlApi } from '../control-api/control-api';
import { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { ServiceProject } from '../operations/service-project';
import type { WaitResult } from '../operations/wait-for-operations';
import { type OperationFilter, requireKnownStatuses } from './operation-filter';
import { walkOperationPages } from './operation-search';
import { type OperationState, readOperations, toOperationState, toOperationStates } from './operation-state';
import { requireSuccess } from './operation-wait-error';
import { connectByStack, hideStack, lookUp, readByStack } from './stack-connection';
import { awaitOperation, awaitUnfinished, type WaitRequest } from './wait-for-unfinished';

/** How long to wait for operations, and how to follow their progress. */
export interface OperationWaitOptions {
  /** @default 600 */
  readonly timeoutSeconds?: number;
  /** Called with the latest state of the operations after each poll. */
  readonly onProgress?: (operations: OperationState[]) => void;
}

/**
 * Reads the current state of one operation.
 * @throws ControlApiError 404 when the project has no such operation
 */
export async function getOperation(at: {
  /** The project of the operation. */
  projectId: string;
  /** The operation's id, a UUID. */
  operationId: string;
}): Promise<OperationState> {
  return lookUp('getOperation', at, async (api) =>
    toOperationState(await api.getOperation(at.projectId, at.operationId), api.redact),
  );
}

/**
 * Reads the latest operations of a project, newest first.
 * @throws ControlApiError 404 when there is no such project
 */
export async function getOperations(of: {
  /** The project of the operations. */
  projectId: string;
  /** The maximum number of operations, 1 to 1000. @default 100 @integer */
  limit?: number;
}): Promise<OperationState[]> {
  const read = async (api: ControlApi) => ({ operations: await readOperations(api, of) });
  return (await lookUp('getOperations', of, read)).operations;
}

/**
 * Reads every operation of a project that the service keeps, newest first:
 * `for await (const operation of listOperations({ projectId, statuses: ['failed'] })) …`. It requests each page
 * only when the loop reaches it, so an early exit saves requests.
 * @throws ControlApiError 404 when there is no such project
 */
export async function* listOperations(
  of: { projectId: string } & OperationFilter,
): AsyncGenerator<OperationState, void, undefined> {
  requireKnownStatuses(of);
  try {
    const api = connectByStack();
    for await (const page of walkOperationPages(api, of)) yield* toOperationStates(page, api.redact);
  } catch (error) {
    throw hideStack(error);
  }
}

/**
 * Waits until an operation succeeds.
 * @throws OperationWaitError when the operation failed, or was unfinished at the time-out; ControlApiError 404 when the
 * project has no such operation
 */
export async function waitForOperation(
  at: { projectId: string; operationId: string } & OperationWaitOptions,
): Promise<OperationState> {
  const [operation] = await wait(at, (project, request) => awaitOperation(project, at.operationId, request));
  if (operation) return operation;
  throw new Error(`The wait for operation ${at.operationId} returned no operation.`);
}

/**
 * Waits until every unfinished operation succeeds: those of the whole project, or those of one endpoint and any that
 * the service starts for it during the wait. Returns at once if no operation is unfinished.
 * @throws OperationWaitError when an operation failed, or was unfinished at the time-out; ControlApiError 404 when the
 * project has no such endpoint
 */
export async function waitForOperations(
  of: { projectId: string; endpointId?: string } & OperationWaitOptions,
): Promise<OperationState[]> {
  return wait(of, (project, request) => awaitUnfinished(project, of.endpointId, request));
}

async function wait(
  options: { projectId: string } & OperationWaitOptions,
  start: (project: ServiceProject, request: WaitRequest) => Promise<WaitResult>,
): Promise<OperationState[]> {
  const { projectId, timeoutSeconds = defaultTimeoutSeconds, onProgress } = options;
  return readByStack(async (api) => {
    const deadline = new Deadline(timeoutSeconds * 1000);
    const report = (latest: readonly Operation[]) => onProgress?.(toOperationStates(latest, api.redact));
    const result = await start(new ServiceProject(api, projectId), { deadline, onProgress: report });
    return toOperationStates(requireSuccess(result, deadline.elapsedMs, api.redact), api.redact);
  });
}
