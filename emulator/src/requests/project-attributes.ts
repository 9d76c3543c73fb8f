import { z } from 'zod';
import type { DefaultEndpointSettings, Project } from '../records/wire-types';
import { parse } from '../validation/parse';
import {
  attributes,
  flag,
  id,
  oneOf,
  region,
  requiredAttributes,
  text,
  textOfLength,
  wholeNumber,
} from '../validation/schemas';
import { provisioner, settingsShape, sizeShape, suspendTimeout } from './endpoint-attributes';
import { annotations, preloadLibraries } from './nested-attributes';
import { forEachTreatment, readSection, type UnknownAttributes } from './request-body';
import { databaseName, roleName } from './role-and-database-attributes';

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

export type ProjectChange = Partial<
  Pick<Project, 'name' | 'history_retention_seconds' | 'default_endpoint_settings'>
>;

/** The largest JavaScript number below 2^63, the first number beyond int64. */
const LARGEST_INT64 = 2 ** 63 - 1024;
const amount = wholeNumber(0, LARGEST_INT64);

/** Checked but not stored, because nothing in the emulator depends on them. */
const projectSettings = attributes({
  quota: attributes({
    active_time_seconds: amount,
    compute_time_seconds: amount,
    written_data_bytes: amount,
    data_transfer_bytes: amount,
    logical_size_bytes: amount,
  }),
  allowed_ips: attributes({ ips: z.array(text, 'a list of strings'), protected_branches_only: flag }),
  enable_logical_replication: flag,
  maintenance_window: requiredAttributes({
    weekdays: z.array(wholeNumber(1, 7), 'a list of whole numbers from 1 to 7'),
    start_time: text,
    end_time: text,
  }),
  block_public_connections: flag,
  block_vpc_connections: flag,
  audit_log_level: oneOf('base', 'extended', 'full'),
  hipaa: flag,
  preload_libraries: preloadLibraries,
});

const bounds = attributes(sizeShape);

const firstBranch = attributes({
  name: textOfLength(1, 256),
  role_name: roleName,
  database_name: databaseName,
  annotations,
});
const project = attributes({
  name: textOfLength(1, 256),
  region_id: region,
  pg_version: wholeNumber(14, 18),
  provisioner,
  history_retention_seconds: wholeNumber(0, 2_592_000),
  store_passwords: flag,
  ...sizeShape,
  default_endpoint_settings: attributes({
    ...sizeShape,
    suspend_timeout_seconds: suspendTimeout,
    ...settingsShape,
  }),
  branch: firstBranch,
  settings: projectSettings,
  org_id: id,
});
const PROJECT = forEachTreatment(project);
const PROJECT_CHANGE = forEachTreatment(
  project.pick({
    name: true,
    history_retention_seconds: true,
    default_endpoint_settings: true,
    settings: true,
  }),
);

export function readNewProject(body: unknown, unknownAttributes: UnknownAttributes): NewProject {
  const requested = parse(PROJECT[unknownAttributes], readSection(body, 'project'), 'project');
  return {
    name: requested.name,
    regionId: requested.region_id,
    pgVersion: requested.pg_version,
    provisioner: requested.provisioner,
    historyRetentionSeconds: requested.history_retention_seconds,
    storePasswords: requested.store_passwords,
    branchName: requested.branch?.name,
    ...readFirstAccess(requested.branch),
    defaultEndpointSettings: readDefaults(requested),
  };
}

/** Without a name, the role is named after the database; that name must be possible, too. */
function readFirstAccess({ database_name: database, role_name: role }: z.infer<typeof firstBranch> = {}) {
  const owner = role ?? (database && parse(roleName, `${database}_owner`, 'project.branch.role_name'));
  return { databaseName: database, roleName: owner };
}

export function readProjectChange(body: unknown, unknownAttributes: UnknownAttributes): ProjectChange {
  const { settings: _notStored, ...change } = parse(
    PROJECT_CHANGE[unknownAttributes],
    readSection(body, 'project'),
    'project',
  );
  return change;
}

/** The bounds outside default_endpoint_settings are deprecated but still accepted. */
function readDefaults(requested: z.infer<typeof project>): DefaultEndpointSettings | undefined {
  const defaults = { ...bounds.parse(requested), ...requested.default_endpoint_settings };
  return Object.keys(defaults).length === 0 ? undefined : defaults;
}
