import type { Database } from '../records/wire-types';
import { parse } from '../validation/parse';
import { attributes, flag, text } from '../validation/schemas';
import { forEachTreatment, readSection, type UnknownAttributes } from './request-body';

export interface NewRole {
  name: string;
  no_login?: boolean;
}

export type NewDatabase = Pick<Database, 'name' | 'owner_name'>;
export type DatabaseAttributes = Partial<NewDatabase>;

/** The limit of Postgres. */
const LONGEST_NAME = 63;

/** Postgres counts bytes, and its names cannot contain NUL. */
const postgresName = text.refine(
  (name) => name !== '' && Buffer.byteLength(name) <= LONGEST_NAME && !name.includes('\0'),
  `a name of 1 to ${LONGEST_NAME} bytes`,
);

/** Names that Postgres or the service needs for itself. */
const RESERVED_ROLES = /^(pg_.*|cloud_admin|neon_superuser|zenith_admin|public|none)$/s;
const RESERVED_DATABASES = /^(postgres|template0|template1)$/;

export const roleName = postgresName.refine(
  (name) => !RESERVED_ROLES.test(name),
  'a name that is not reserved (pg_*, cloud_admin, neon_superuser, zenith_admin, public, none)',
);
export const databaseName = postgresName.refine(
  (name) => !RESERVED_DATABASES.test(name),
  'a name that is not reserved (postgres, template0, template1)',
);

const change = attributes({ name: databaseName, owner_name: postgresName });
const DATABASE_CHANGE = forEachTreatment(change);
const NEW_DATABASE = forEachTreatment(change.required());
const NEW_ROLE = forEachTreatment(attributes({ no_login: flag }).extend({ name: roleName }));

export function readNewRole(body: unknown, unknownAttributes: UnknownAttributes): NewRole {
  return parse(NEW_ROLE[unknownAttributes], readSection(body, 'role'), 'role');
}

export function readNewDatabase(body: unknown, unknownAttributes: UnknownAttributes): NewDatabase {
  return parse(NEW_DATABASE[unknownAttributes], readSection(body, 'database'), 'database');
}

export function readDatabaseChange(body: unknown, unknownAttributes: UnknownAttributes): DatabaseAttributes {
  return parse(DATABASE_CHANGE[unknownAttributes], readSection(body, 'database'), 'database');
}
