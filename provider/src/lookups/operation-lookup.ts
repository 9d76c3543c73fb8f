import { connectByStack } from '../config/stack-config';
import { Deadline } from '../control-api/deadline';
import type { Redact } from '../control-api/redaction';
import type { Operation } from '../control-api/wire-types';
import type { OperationFilter } from '../operations/operation-filter';
import { walkOperationPages } from '../operations/operation-pages';
import { type OperationState, toOperationState, toOperationStates } from '../operations/operation-state';
import { requireSuccess } from '../operations/operation-wait-error';
import { ServiceProject } from '../operations/service-project';
import { awaitOperation, awaitUnfinished, type WaitRequest } from '../operations/wait-for-unfinished';

/** How long to wait for operations, and who is told meanwhile. */
export interface OperationWaitOptions {
  /** @default 600 */
  readonly timeoutSeconds?: number;
  /** Called with the operations as they now stand, after each look at them. */
  readonly onProgress?: (operations: OperationState[]) => void;
}

const defaultTimeoutSeconds = 600;

/**
 * Looks up one operation, live.
 * @throws ControlApiError 404 when the project has no such operation
 */
export async function getOperation(at: { projectId: string; operationId: string }): Promise<OperationState> {
  const api = connectByStack();
  return toOperationState(await api.getOperation(at.projectId, at.operationId), api.redact);
}

/**
 * Looks up the newest operations of a project, newest first: `limit` of them, 1 to 1000, by default 100.
 * @throws ControlApiError 404 when there is no such project
 */
export async function getOperations(of: { projectId: string; limit?: number }): Promise<OperationState[]> {
  const api = connectByStack();
  const { operations } = await api.listOperations(of.projectId, { limit: of.limit ?? 100 });
  return toOperationStates(operations, api.redact);
}

/**
 * Every operation of a project that the service remembers, newest first, live:
 * `for await (const operation of listOperations({ projectId, statuses: ['failed'] })) …`. A page is asked for when
 * the loop gets there, so leaving the loop early asks for no more.
 * @throws ControlApiError 404 when there is no such project
 */
export async function* listOperations(
  of: { projectId: string } & OperationFilter,
): AsyncGenerator<OperationState, void, undefined> {
  const api = connectByStack();
  for await (const page of walkOperationPages(api, of)) yield* toOperationStates(page, api.redact);
}

/**
 * Waits until an operation has succeeded.
 * @throws OperationWaitError when it failed, or is unfinished when the time is up; ControlApiError 404 when the
 * project has no such operation
 */
export async function waitForOperation(
  at: { projectId: string; operationId: string } & OperationWaitOptions,
): Promise<OperationState> {
  const project = connectProject(at.projectId);
  const { redact } = project.api;
  const request = toWaitRequest(at, redact);
  const result = await awaitOperation(project, at.operationId, request);
  const [operation] = requireSuccess(result, request.deadline.elapsedMs, redact);
  if (operation) return toOperationState(operation, redact);
  throw new Error(`Operation ${at.operationId}: the wait for it ended without it.`);
}

/**
 * Waits until every operation that is unfinished now has succeeded: of the whole project, or of one endpoint and then
 * with whatever the service starts for that endpoint meanwhile. Returns at once when nothing is unfinished.
 * @throws OperationWaitError when one failed, or is unfinished when the time is up; ControlApiError 404 when the
 * project has no such endpoint
 */
export async function waitForOperations(
  of: { projectId: string; endpointId?: string } & OperationWaitOptions,
): Promise<OperationState[]> {
  const project = connectProject(of.projectId);
  const { redact } = project.api;
  const request = toWaitRequest(of, redact);
  const result = await awaitUnfinished(project, of.endpointId, request);
  const operations = requireSuccess(result, request.deadline.elapsedMs, redact);
  return toOperationStates(operations, redact);
}

function connectProject(projectId: string): ServiceProject {
  return new ServiceProject(connectByStack(), projectId);
}

function toWaitRequest(
  { timeoutSeconds = defaultTimeoutSeconds, onProgress }: OperationWaitOptions,
  redact: Redact,
) {
  const report = (latest: readonly Operation[]) => onProgress?.(toOperationStates(latest, redact));
  return {
    deadline: new Deadline(timeoutSeconds * 1000),
    onProgress: onProgress && report,
  } satisfies WaitRequest;
}
