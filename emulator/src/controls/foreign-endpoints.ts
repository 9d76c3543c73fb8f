import type { ControlPlane } from '../control-plane/control-plane';
import { addEndpoint, checkNewEndpointRequest } from '../control-plane/endpoints';
import { toTimestamp } from '../records/clock';
import type { EndpointRecord } from '../records/endpoint-record';
import type { ProjectRecord } from '../records/project-record';
import { type NewEndpointAttributes, readNewEndpoint } from '../requests/endpoint-attributes';
import { readAttributes } from '../requests/request-body';
import { isAge } from './foreign-operations';

export interface ForeignEndpointOptions {
  /** How long ago it was created, in milliseconds. @default 0 */
  readonly ageMs?: number;
}

/** Creates an endpoint that is active at once, or idle if it is disabled, without an operation. */
export function createForeignEndpoint(
  plane: ControlPlane,
  project: ProjectRecord,
  requested: NewEndpointAttributes,
  options: ForeignEndpointOptions,
): EndpointRecord {
  readAttributes({ ...options }, 'options', { ageMs: isAge }, 'reject');
  const { ageMs = 0 } = options;
  const attributes = readNewEndpoint({ ...requested }, 'reject');
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
