import type { ControlPlane } from '../control-plane/control-plane';
import { addEndpoint, checkNewEndpointRequest } from '../control-plane/endpoints';
import { conflict, found } from '../records/api-error';
import { toTimestamp } from '../records/clock';
import type { EndpointRecord, OperationRecord, ProjectRecord } from '../records/records';
import { NEW_ENDPOINT, type NewEndpointAttributes } from '../requests/endpoint-attributes';
import { parse } from '../validation/parse';
import {
  type Accepted,
  flag,
  id,
  requiredAttributes,
  text,
  textOfLength,
  wholeNumber,
} from '../validation/schemas';

const TEN_YEARS_MS = 10 * 365 * 24 * 3600 * 1000;

const age = wholeNumber(0, TEN_YEARS_MS).exactOptional();
const name = textOfLength(1, 64);

const CHANGE = {
  /** Any text of 1 to 64 characters, including a status that the API does not know. */
  status: name,
  /** @default 1 for failed and error, else 0 */
  failuresCount: wholeNumber(0, 1_000_000).exactOptional(),
  /** @default none */
  error: text.exactOptional(),
};
const OPERATION = {
  /** Any text of 1 to 64 characters, such as `create_branch`. */
  action: name,
  ...CHANGE,
  /** An endpoint of the project, which may be deleted. @default none */
  endpointId: id.exactOptional(),
  /** A branch of the project, which may be deleted. @default the endpoint's branch, or the primary branch */
  branchId: id.exactOptional(),
  /** How long ago it was created, in milliseconds. @default 0 */
  ageMs: age,
  /** Whether it locks its project (or its endpoint, with `locks: 'endpoint'`) until it has ended. @default false */
  locks: flag.exactOptional(),
};
const ENDPOINT_OPTIONS = {
  /** How long ago it was created, in milliseconds. @default 0 */
  ageMs: age,
};

/**
 * An operation of another client. The emulator never runs it; it keeps its status until you change it.
 * @interface
 */
export type ForeignOperation = Accepted<typeof OPERATION>;

/**
 * A change of an operation of another client.
 * @interface
 */
export type ForeignOperationChange = Accepted<typeof CHANGE>;

/** @interface */
export type ForeignEndpointOptions = Accepted<typeof ENDPOINT_OPTIONS>;

export function addForeignOperation(
  plane: ControlPlane,
  project: ProjectRecord,
  requested: ForeignOperation,
): OperationRecord {
  parse(requiredAttributes(OPERATION).strict(), requested, 'operation');
  const { action, endpointId, ageMs = 0, locks = false } = requested;
  const endpoint = endpointId === undefined ? undefined : endpointEver(project, endpointId);
  const branchId = requested.branchId ?? endpoint?.wire.branch_id ?? project.primaryBranchId;
  if (!project.deletedBranchIds.has(branchId)) plane.store.branch(project, branchId);
  const step = { action, branchId, ...(endpointId === undefined ? {} : { endpointId }), locks };
  return plane.runner.addGiven(project, step, resultOf(requested), ageMs);
}

export function changeForeignOperation(
  plane: ControlPlane,
  operationId: string,
  change: ForeignOperationChange,
): OperationRecord {
  parse(requiredAttributes(CHANGE).strict(), change, 'operation');
  const { project, operation } = plane.store.findOperation(operationId);
  if (operation.progress !== 'given') {
    throw conflict(
      'OPERATION_NOT_FOREIGN',
      `operation ${operationId} is run by the emulator, which sets its status: to change that, use a fault`,
    );
  }
  plane.runner.changeGiven(project, operation, resultOf(change));
  return operation;
}

function resultOf({ status, failuresCount: failures, error }: ForeignOperationChange) {
  return { status, failures, error };
}

function endpointEver({ endpoints, deletedEndpoints, wire }: ProjectRecord, id: string): EndpointRecord {
  return found(endpoints.get(id) ?? deletedEndpoints.get(id), `project ${wire.id}: endpoint`, id);
}

/** Creates an endpoint that is active at once, or idle if it is disabled, without an operation. */
export function createForeignEndpoint(
  plane: ControlPlane,
  project: ProjectRecord,
  requested: NewEndpointAttributes,
  options: ForeignEndpointOptions,
): EndpointRecord {
  const { ageMs = 0 } = parse(requiredAttributes(ENDPOINT_OPTIONS).strict(), options, 'options');
  const endpointAttributes = NEW_ENDPOINT.read(requested, 'reject');
  checkNewEndpointRequest(plane, project, endpointAttributes);
  const created = toTimestamp(plane.clock.nextMicros() - ageMs * 1000);
  const endpoint = addEndpoint(plane, project, endpointAttributes, created);
  const { wire } = endpoint;
  if (!wire.disabled)
    Object.assign(wire, { current_state: 'active', last_active: created, started_at: created });
  plane.journal.noteEndpoint(project, endpoint);
  plane.autosuspend.noteActivity(endpoint);
  plane.autosuspend.arm(project, endpoint);
  return endpoint;
}
