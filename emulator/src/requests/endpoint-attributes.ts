import { z } from 'zod';
import { checkBothBounds } from '../limits/compute-size';
import type { EndpointSettings, EndpointType } from '../records/wire-types';
import { parse } from '../validation/parse';
import { attributes, flag, id, number, oneOf, text, textOfLength, wholeNumber } from '../validation/schemas';
import { forEachTreatment, type UnknownAttributes } from './request-body';

/** The attributes of an endpoint that a request may set. */
export interface EndpointAttributes {
  branch_id?: string;
  region_id?: string;
  type?: EndpointType;
  name?: string;
  autoscaling_limit_min_cu?: number;
  autoscaling_limit_max_cu?: number;
  settings?: Partial<EndpointSettings>;
  pooler_enabled?: boolean;
  pooler_mode?: string;
  disabled?: boolean;
  passwordless_access?: boolean;
  suspend_timeout_seconds?: number;
  provisioner?: string;
}

export type NewEndpointAttributes = EndpointAttributes & { branch_id: string; type: EndpointType };

// The defaults of a project follow the same rules as the attributes of an endpoint.
export const suspendTimeout = wholeNumber(-1, 604_800);
export const provisioner = oneOf('k8s-pod', 'k8s-neonvm', 'serverless-platform');
export const sizeShape = { autoscaling_limit_min_cu: number, autoscaling_limit_max_cu: number };
const textMap = z.record(z.string(), text, 'an object whose values are strings');
export const settingsShape = { pg_settings: textMap, pgbouncer_settings: textMap };

/** Stored as requested, with attributes that the API does not describe. */
const preloadLibraries = attributes({
  use_defaults: flag,
  enabled_libraries: z.array(text, 'a list of strings'),
}).loose();

/** An update cannot set `type` or `region_id`, which count as unknown. */
const change = attributes({
  branch_id: id,
  name: textOfLength(1, 64),
  ...sizeShape,
  settings: attributes({ ...settingsShape, preload_libraries: preloadLibraries }),
  pooler_enabled: flag,
  pooler_mode: oneOf('transaction'),
  disabled: flag,
  passwordless_access: flag,
  suspend_timeout_seconds: suspendTimeout,
  provisioner,
});
const CHANGE = forEachTreatment(change);
const NEW_ENDPOINT = forEachTreatment(
  change.extend({ branch_id: id, type: oneOf('read_write', 'read_only'), region_id: text.exactOptional() }),
);

export function readNewEndpoint(
  section: unknown,
  unknownAttributes: UnknownAttributes,
): NewEndpointAttributes {
  const endpoint = parse(NEW_ENDPOINT[unknownAttributes], section, 'endpoint');
  checkBothBounds(endpoint, 'endpoint.');
  return endpoint;
}

export function readEndpointChange(
  section: unknown,
  unknownAttributes: UnknownAttributes,
): EndpointAttributes {
  return parse(CHANGE[unknownAttributes], section, 'endpoint');
}
