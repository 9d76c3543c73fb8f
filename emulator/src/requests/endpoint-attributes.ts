import { z } from 'zod';
import type { EndpointType } from '../records/wire-types';
import { section } from '../validation/parse';
import {
  type Accepted,
  attributes,
  flag,
  id,
  number,
  oneOf,
  text,
  textOfLength,
  wholeNumber,
} from '../validation/schemas';

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

const ENDPOINT = {
  branch_id: id,
  region_id: text,
  type: oneOf<EndpointType>('read_write', 'read_only'),
  name: textOfLength(1, 64),
  ...sizeShape,
  settings: attributes({ ...settingsShape, preload_libraries: preloadLibraries }),
  pooler_enabled: flag,
  pooler_mode: oneOf('transaction'),
  disabled: flag,
  passwordless_access: flag,
  suspend_timeout_seconds: suspendTimeout,
  provisioner,
};
const endpoint = attributes(ENDPOINT);

/**
 * The attributes of an endpoint that a request may set.
 * @interface
 */
export type EndpointAttributes = Accepted<(typeof endpoint)['shape']>;
export type NewEndpointAttributes = EndpointAttributes & { branch_id: string; type: EndpointType };

export const NEW_ENDPOINT = section('endpoint', endpoint.required({ branch_id: true, type: true }));
/** These two count as unknown. */
export const ENDPOINT_CHANGE = section('endpoint', endpoint.omit({ type: true, region_id: true }));
