import { z } from 'zod';
import { ACCOUNT_ID, type DefaultEndpointSettings } from '../records/wire-types';
import { parse, section } from '../validation/parse';
import { attributes, flag, refused, region, textOfLength, wholeNumber } from '../validation/schemas';
import { provisioner, settingsShape, sizeShape, suspendTimeout } from './endpoint-attributes';
import { databaseName, roleName } from './role-and-database-attributes';

/** They restrict who can connect or what a project may use, or concern parts of the service that the emulator lacks. */
const settings = attributes({
  quota: refused,
  allowed_ips: refused,
  enable_logical_replication: refused,
  maintenance_window: refused,
  block_public_connections: refused,
  block_vpc_connections: refused,
  audit_log_level: refused,
  hipaa: refused,
  preload_libraries: refused,
});

const bounds = attributes(sizeShape);

const firstBranch = attributes({
  name: textOfLength(1, 256),
  role_name: roleName,
  database_name: databaseName,
  annotations: refused,
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
  settings,
  org_id: z.literal(ACCOUNT_ID, `the account's organization, ${ACCOUNT_ID}`),
});
const projectChange = project.pick({
  name: true,
  history_retention_seconds: true,
  default_endpoint_settings: true,
  settings: true,
});

/**
 * The attributes of a new project, as in the API.
 * @interface
 */
export type NewProject = Omit<z.infer<typeof project>, 'settings' | 'org_id'>;
export const NEW_PROJECT = section('project', project);

export type ProjectChange = z.infer<typeof projectChange>;
export const PROJECT_CHANGE = section('project', projectChange);

/** Without a name, the role is named after the database; that name must be possible, too. */
export function firstNamesOf({ branch = {} }: NewProject) {
  const { database_name: database = 'app', role_name } = branch;
  const role = role_name ?? parse(roleName, `${database}_owner`, 'project.branch.role_name');
  return { database, role };
}

/** The bounds outside default_endpoint_settings are deprecated but still accepted. */
export function defaultsOf(requested: NewProject): DefaultEndpointSettings | undefined {
  const defaults = { ...bounds.parse(requested), ...requested.default_endpoint_settings };
  return Object.keys(defaults).length === 0 ? undefined : defaults;
}
