import type { DefaultEndpointSettings } from '../records/wire-types';
import {
  type Checks,
  isAnnotations,
  isFlag,
  isId,
  isListOf,
  isObjectOf,
  isOneOf,
  isPreloadLibraries,
  isText,
  isTextLike,
  isTextOfLength,
  isWholeNumber,
} from './attribute-checks';
import { isProvisioner, isSuspendTimeout, SETTINGS_CHECKS, SIZE_CHECKS } from './endpoint-attributes';
import { pickPresent, readAttributes, readSection, type UnknownAttributes } from './request-body';

export interface NewProject {
  readonly name?: string | undefined;
  readonly regionId?: string | undefined;
  readonly pgVersion?: number | undefined;
  readonly provisioner?: string | undefined;
  readonly historyRetentionSeconds?: number | undefined;
  readonly storePasswords?: boolean | undefined;
  readonly branchName?: string | undefined;
  readonly databaseName?: string | undefined;
  readonly roleName?: string | undefined;
  readonly defaultEndpointSettings?: DefaultEndpointSettings | undefined;
}

/** The largest JavaScript number below 2^63, the first number beyond int64. */
const LARGEST_INT64 = 2 ** 63 - 1024;
const isAmount = isWholeNumber(0, LARGEST_INT64);

/** Checked but not stored, because nothing in the emulator depends on them. */
const isProjectSettings = isObjectOf({
  quota: isObjectOf({
    active_time_seconds: isAmount,
    compute_time_seconds: isAmount,
    written_data_bytes: isAmount,
    data_transfer_bytes: isAmount,
    logical_size_bytes: isAmount,
  }),
  allowed_ips: isObjectOf({ ips: isListOf(isText, 'strings'), protected_branches_only: isFlag }),
  enable_logical_replication: isFlag,
  maintenance_window: isObjectOf(
    {
      weekdays: isListOf(isWholeNumber(1, 7), 'whole numbers from 1 to 7'),
      start_time: isText,
      end_time: isText,
    },
    ['weekdays', 'start_time', 'end_time'],
  ),
  block_public_connections: isFlag,
  block_vpc_connections: isFlag,
  audit_log_level: isOneOf('base', 'extended', 'full'),
  hipaa: isFlag,
  preload_libraries: isPreloadLibraries,
});

const PROJECT_CHECKS: Checks = {
  name: isTextOfLength(1, 256),
  region_id: isTextLike(/^[a-z0-9-]{1,40}$/, 'a region: 1 to 40 of a-z, 0-9 and "-"'),
  pg_version: isWholeNumber(14, 18),
  provisioner: isProvisioner,
  history_retention_seconds: isWholeNumber(0, 2_592_000),
  store_passwords: isFlag,
  ...SIZE_CHECKS,
  default_endpoint_settings: isObjectOf({
    ...SIZE_CHECKS,
    suspend_timeout_seconds: isSuspendTimeout,
    ...SETTINGS_CHECKS,
  }),
  branch: isObjectOf({
    name: isTextOfLength(1, 256),
    role_name: isText,
    database_name: isText,
    annotations: isAnnotations,
  }),
  settings: isProjectSettings,
  org_id: isId,
};

/** The attributes that PROJECT_CHECKS accepts. */
interface ProjectAttributes extends DefaultEndpointSettings {
  name?: string;
  region_id?: string;
  pg_version?: number;
  provisioner?: string;
  history_retention_seconds?: number;
  store_passwords?: boolean;
  default_endpoint_settings?: DefaultEndpointSettings;
  branch?: { name?: string; role_name?: string; database_name?: string };
}

export function readNewProject(body: unknown, unknownAttributes: UnknownAttributes): NewProject {
  const section = readSection(body, 'project');
  // PROJECT_CHECKS matches the attribute types.
  const requested = readAttributes(
    section,
    'project',
    PROJECT_CHECKS,
    unknownAttributes,
  ) as ProjectAttributes;
  return {
    name: requested.name,
    regionId: requested.region_id,
    pgVersion: requested.pg_version,
    provisioner: requested.provisioner,
    historyRetentionSeconds: requested.history_retention_seconds,
    storePasswords: requested.store_passwords,
    branchName: requested.branch?.name,
    databaseName: requested.branch?.database_name,
    roleName: requested.branch?.role_name,
    defaultEndpointSettings: readDefaults(requested),
  };
}

/** The bounds outside default_endpoint_settings are deprecated but still accepted. */
function readDefaults(requested: ProjectAttributes): DefaultEndpointSettings | undefined {
  const bounds = ['autoscaling_limit_min_cu', 'autoscaling_limit_max_cu'] as const;
  const nested = requested.default_endpoint_settings ?? {};
  const defaults = {
    ...pickPresent<DefaultEndpointSettings, (typeof bounds)[number]>(requested, bounds),
    ...pickPresent(nested, [...bounds, 'suspend_timeout_seconds', 'pg_settings']),
  };
  return Object.keys(defaults).length === 0 ? undefined : defaults;
}
