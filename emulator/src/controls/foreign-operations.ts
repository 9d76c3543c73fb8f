import type { ControlPlane } from '../control-plane/control-plane';
import { badRequest, conflict, noEndpoint } from '../records/api-error';
import type { EndpointRecord } from '../records/endpoint-record';
import type { OperationRecord } from '../records/operation-record';
import type { ProjectRecord } from '../records/project-record';
import {
  type Checks,
  isFlag,
  isId,
  isText,
  isTextOfLength,
  isWholeNumber,
} from '../requests/attribute-checks';
import { readAttributes } from '../requests/request-body';

/** An operation of another client. The emulator never runs it; it keeps its status until you change it. */
export interface ForeignOperation {
  /** Any text of 1 to 64 characters, such as `create_branch`. */
  readonly action: string;
  /** Any text of 1 to 64 characters, including a status that the API does not know. */
  readonly status: string;
  /** An endpoint of the project, which may be deleted. @default none */
  readonly endpointId?: string;
  /** A branch of the project, which may be deleted. @default the endpoint's branch, or the primary branch */
  readonly branchId?: string;
  /** How long ago it was created, in milliseconds. @default 0 */
  readonly ageMs?: number;
  /** @default 1 for failed and error, else 0 */
  readonly failuresCount?: number;
  /** @default none */
  readonly error?: string;
  /** Whether it locks its project (or its endpoint, with `locks: 'endpoint'`) until it has ended. @default false */
  readonly locks?: boolean;
}

/** A change of an operation of another client. */
export type ForeignOperationChange = Pick<ForeignOperation, 'status' | 'failuresCount' | 'error'>;

const TEN_YEARS_MS = 10 * 365 * 24 * 3600 * 1000;

export const isAge = isWholeNumber(0, TEN_YEARS_MS);
const CHANGE_CHECKS = {
  status: isTextOfLength(1, 64),
  failuresCount: isWholeNumber(0, 1_000_000),
  error: isText,
} satisfies Checks;
const OPERATION_CHECKS: Checks = {
  ...CHANGE_CHECKS,
  action: isTextOfLength(1, 64),
  endpointId: isId,
  branchId: isId,
  ageMs: isAge,
  locks: isFlag,
};

export function addForeignOperation(
  plane: ControlPlane,
  project: ProjectRecord,
  requested: ForeignOperation,
): OperationRecord {
  checkOperation(requested, OPERATION_CHECKS, ['action', 'status']);
  const { action, endpointId, ageMs = 0, locks = false } = requested;
  const endpoint = endpointId === undefined ? undefined : findEndpoint(project, endpointId);
  const branchId = requested.branchId ?? endpoint?.wire.branch_id ?? project.primaryBranchId;
  if (!project.deletedBranchIds.has(branchId)) plane.store.branch(project, branchId);
  const step = { action, branchId, ...(endpointId === undefined ? {} : { endpointId }), locks };
  return plane.runner.addGiven(project, step, outcomeOf(requested), ageMs);
}

export function changeForeignOperation(
  plane: ControlPlane,
  operationId: string,
  change: ForeignOperationChange,
): OperationRecord {
  checkOperation(change, CHANGE_CHECKS, ['status']);
  const { project, operation } = plane.store.findOperation(operationId);
  if (operation.progress !== 'given') {
    throw conflict(
      'OPERATION_NOT_FOREIGN',
      `operation ${operationId} is run by the emulator, which sets its status: to change that, use a fault`,
    );
  }
  plane.runner.changeGiven(project, operation, outcomeOf(change));
  return operation;
}

/** Validates values from untyped programs and requests. */
function checkOperation(requested: object, checks: Checks, required: readonly string[]): void {
  const attributes = readAttributes({ ...requested }, 'operation', checks, 'reject');
  const missing = required.find((name) => attributes[name] === undefined);
  if (missing !== undefined) throw badRequest(`operation.${missing} is required`);
}

function outcomeOf({ status, failuresCount, error }: ForeignOperationChange) {
  const failures = failuresCount ?? (status === 'failed' || status === 'error' ? 1 : 0);
  return { status, failures, ...(error === undefined ? {} : { error }) };
}

function findEndpoint(project: ProjectRecord, endpointId: string): EndpointRecord {
  const endpoint = project.endpoints.get(endpointId) ?? project.deletedEndpoints.get(endpointId);
  if (endpoint === undefined) throw noEndpoint(project.wire.id, endpointId);
  return endpoint;
}
