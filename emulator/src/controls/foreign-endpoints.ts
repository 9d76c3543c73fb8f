import type { ControlPlane } from '../control-plane/control-plane';
import { addEndpoint, checkNewEndpointRequest } from '../control-plane/endpoints';
import { toTimestamp } from '../records/clock';
import type { EndpointRecord, ProjectRecord } from '../records/records';
import { NEW_ENDPOINT, type NewEndpointAttributes } from '../requests/endpoint-attributes';
import { parse } from '../validation/parse';
import { attributes } from '../validation/schemas';
import { age } from './foreign-operations';

export interface ForeignEndpointOptions {
  /** How long ago it was created, in milliseconds. @default 0 */
  readonly ageMs?: number;
}

const OPTIONS = attributes({ ageMs: age }).strict();

/** Creates an endpoint that is active at once, or idle if it is disabled, without an operation. */
export function createForeignEndpoint(
  plane: ControlPlane,
  project: ProjectRecord,
  requested: NewEndpointAttributes,
  options: ForeignEndpointOptions,
): EndpointRecord {
  const { ageMs = 0 } = parse(OPTIONS, options, 'options');
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
