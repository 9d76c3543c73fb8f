import { checkBothBounds } from '../limits/compute-size';
import { badRequest } from '../records/api-error';
import type { EndpointSettings, EndpointType } from '../records/wire-types';
import {
  type Checks,
  isFlag,
  isId,
  isNumber,
  isObjectOf,
  isOneOf,
  isPreloadLibraries,
  isText,
  isTextMap,
  isTextOfLength,
  isWholeNumber,
} from './attribute-checks';
import { pickPresent, readAttributes, type UnknownAttributes } from './request-body';

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
export const isSuspendTimeout = isWholeNumber(-1, 604_800);
export const isProvisioner = isOneOf('k8s-pod', 'k8s-neonvm', 'serverless-platform');
export const SIZE_CHECKS = {
  autoscaling_limit_min_cu: isNumber,
  autoscaling_limit_max_cu: isNumber,
} satisfies Checks;
export const SETTINGS_CHECKS = { pg_settings: isTextMap, pgbouncer_settings: isTextMap } satisfies Checks;

/** Attributes of both create and update. */
const SHARED_CHECKS = {
  branch_id: isId,
  name: isTextOfLength(1, 64),
  ...SIZE_CHECKS,
  settings: isObjectOf({ ...SETTINGS_CHECKS, preload_libraries: isPreloadLibraries }),
  pooler_enabled: isFlag,
  pooler_mode: isOneOf('transaction'),
  disabled: isFlag,
  passwordless_access: isFlag,
  suspend_timeout_seconds: isSuspendTimeout,
  provisioner: isProvisioner,
} satisfies Checks;

const CREATE_CHECKS: Checks = {
  ...SHARED_CHECKS,
  type: isOneOf('read_write', 'read_only'),
  region_id: isText,
};

/** The attributes of a create request, of which `branch_id` and `type` are required. */
export function readNewEndpoint(
  section: Record<string, unknown>,
  unknownAttributes: UnknownAttributes,
): NewEndpointAttributes {
  // The checks match the attribute types.
  const attributes = readAttributes(
    section,
    'endpoint',
    CREATE_CHECKS,
    unknownAttributes,
  ) as EndpointAttributes;
  const { branch_id, type } = attributes;
  if (branch_id === undefined)
    throw badRequest('endpoint.branch_id is required: the branch to create the endpoint for');
  if (type === undefined) throw badRequest('endpoint.type is required: read_write or read_only');
  checkBothBounds(attributes, 'endpoint.');
  return { ...withKnownSettings(attributes), branch_id, type };
}

/** The attributes of an update request. It cannot set `type` or `region_id`, which count as unknown. */
export function readEndpointChange(
  section: Record<string, unknown>,
  unknownAttributes: UnknownAttributes,
): EndpointAttributes {
  // The checks match the attribute types.
  return withKnownSettings(
    readAttributes(section, 'endpoint', SHARED_CHECKS, unknownAttributes) as EndpointAttributes,
  );
}

function withKnownSettings(attributes: EndpointAttributes): EndpointAttributes {
  if (attributes.settings === undefined) return attributes;
  const names = ['pg_settings', 'pgbouncer_settings', 'preload_libraries'] as const;
  return { ...attributes, settings: pickPresent(attributes.settings, names) };
}
