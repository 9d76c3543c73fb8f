import { badRequest, conflict, noEndpoint } from '../records/api-error';
import { type Checks, isFlag, isId, isText, isTextOfLength, isWholeNumber } from '../requests/attribute-checks';
import { toTimestamp } from '../records/clock';
import type { ControlPlane } from '../control-plane/control-plane';
import { type NewEndpointAttributes, readNewEndpoint } from '../requests/endpoint-attributes';
import { addEndpoint, checkNewEndpointRequest } from '../control-plane/endpoints';
import type { OperationRecord } from '../control-plane/operation-runner';
import { readAttributes } from '../requests/request-body';
import type { EndpointRecord, ProjectRecord } from '../records/store';

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

export interface ForeignEndpointOptions {
  /** How long ago it was created, in milliseconds. @default 0 */
  readonly ageMs?: number;
}

const TEN_YEARS_MS = 10 * 365 * 24 * 3600 * 1000;

const isAge = isWholeNumber(0, TEN_YEARS_MS);
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
  asked: ForeignOperation,
): OperationRecord {
  checkOperation(asked, OPERATION_CHECKS, ['action', 'status']);
  const { action, endpointId, ageMs = 0, locks = false } = asked;
  const endpoint = endpointId === undefined ? undefined : findEndpoint(project, endpointId);
  const branchId = asked.branchId ?? endpoint?.wire.branch_id ?? project.primaryBranchId;
  if (!project.deletedBranchIds.has(branchId)) plane.store.branch(project, branchId);
  const step = { action, branchId, ...(endpointId === undefined ? {} : { endpointId }), locks };
  return plane.runner.addGiven(project, step, outcomeOf(asked), ageMs);
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

/** The endpoint is active at once, or idle if it is disabled, without an operation. */
export function createForeignEndpoint(
  plane: ControlPlane,
  project: ProjectRecord,
  asked: NewEndpointAttributes,
  options: ForeignEndpointOptions,
): EndpointRecord {
  readAttributes({ ...options }, 'options', { ageMs: isAge }, 'reject');
  const { ageMs = 0 } = options;
  const attributes = readNewEndpoint({ ...asked }, 'reject');
  checkNewEndpointRequest(plane, project, attributes);
  const created = toTimestamp(plane.clock.nextMicros() - ageMs * 1000);
  const endpoint = addEndpoint(plane, project, attributes, created);
  const { wire } = endpoint;
  if (!wire.disabled)
    Object.assign(wire, { current_state: 'active', last_active: created, started_at: created });
  plane.journal.noteEndpoint(project, endpoint);
  plane.autosuspend.noteActivity(endpoint);
  plane.autosuspend.arm(project, endpoint);
  return endpoint;
}

/** Checks what a program without types, or a request, may have sent. */
function checkOperation(asked: object, checks: Checks, required: readonly string[]): void {
  const attributes = readAttributes({ ...asked }, 'operation', checks, 'reject');
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
