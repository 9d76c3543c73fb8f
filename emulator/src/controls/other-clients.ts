import type { ControlPlane } from '../control-plane/control-plane';
import { addEndpoint, checkNewEndpointRequest } from '../control-plane/endpoints';
import { toTimestamp } from '../records/clock';
import type { EndpointRecord, ProjectRecord } from '../records/records';
import { NEW_ENDPOINT, type NewEndpointAttributes } from '../requests/endpoint-attributes';
import { parse } from '../validation/parse';
import {
  type Accepted,
  id,
  requiredAttributes,
  text,
  textOfLength,
  wholeNumber,
} from '../validation/schemas';

const TEN_YEARS_MS = 10 * 365 * 24 * 3600 * 1000;
const name = textOfLength(1, 64);

const OPERATION = {
  /** Any text of 1 to 64 characters, such as `create_branch`. */
  action: name,
  /** Any text of 1 to 64 characters, including a status that the API does not know. */
  status: name,
  /** @default none */
  error: text.exactOptional(),
  /** An endpoint of the project. @default none */
  endpointId: id.exactOptional(),
};
const ENDPOINT_OPTIONS = {
  /** How long ago it was created, in milliseconds. @default 0 */
  ageMs: wholeNumber(0, TEN_YEARS_MS).exactOptional(),
};

/**
 * An operation of another client.
 * @interface
 */
export type ForeignOperation = Accepted<typeof OPERATION>;

/** @interface */
export type ForeignEndpointOptions = Accepted<typeof ENDPOINT_OPTIONS>;

export function addForeignOperation(
  { runner, store }: ControlPlane,
  project: ProjectRecord,
  requested: ForeignOperation,
) {
  const { action, endpointId, ...result } = parse(
    requiredAttributes(OPERATION).strict(),
    requested,
    'operation',
  );
  const endpoint = endpointId === undefined ? undefined : store.endpoint(project, endpointId);
  const branchId = endpoint?.wire.branch_id ?? project.primaryBranchId;
  return runner.hold(project, { action, branchId, ...(endpointId !== undefined && { endpointId }) }, result);
}

/** Creates an endpoint that is active at once, or idle if it is disabled, without an operation. */
export function createForeignEndpoint(
  plane: ControlPlane,
  project: ProjectRecord,
  requested: NewEndpointAttributes,
  options: ForeignEndpointOptions,
): EndpointRecord {
  const { ageMs = 0 } = parse(requiredAttributes(ENDPOINT_OPTIONS).strict(), options, 'options');
  const endpointAttributes = NEW_ENDPOINT.read(requested);
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
