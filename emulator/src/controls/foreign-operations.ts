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

/** An operation of another client. It runs nothing, and keeps its status until it is changed. */
export interface ForeignOperation {
  /** Any word, such as `create_branch`. */
  readonly action: string;
  /** Any word, also one that the API does not know. */
  readonly status: string;
  /** An endpoint that the project has or had. @default the operation concerns none */
  readonly endpointId?: string;
  /** A branch that the project has or had. @default the endpoint's, else the primary branch */
  readonly branchId?: string;
  /** How long ago it was created, in milliseconds. @default 0 */
  readonly ageMs?: number;
  /** @default 1 for failed and error, else 0 */
  readonly failuresCount?: number;
  /** @default none */
  readonly error?: string;
  /** Whether it locks its project (or endpoint, by the option `locks`) until it has ended. @default false */
  readonly locks?: boolean;
}

/** What can change of an operation of another client. */
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
      `operation ${operationId} is run by the emulator, which decides its status: use a fault to change that`,
    );
  }
  plane.runner.changeGiven(project, operation, outcomeOf(change));
  return operation;
}

/** Checks what a program without types, or a request, may have sent. */
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
