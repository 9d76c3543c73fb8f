import type { z } from 'zod';
import { section } from '../validation/parse';
import { attributes, flag, requiredAttributes, text } from '../validation/schemas';

const LONGEST_NAME = 63;

/** Postgres counts bytes, and its names cannot contain NUL, or halves of a character: no URI could have those, either. */
const postgresName = text.refine(
  (name) => /^[^\p{Cs}]+$/u.test(name) && Buffer.byteLength(name) <= LONGEST_NAME && !name.includes('\0'),
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

const role = requiredAttributes({ name: roleName, no_login: flag.exactOptional() });
const database = requiredAttributes({ name: databaseName, owner_name: postgresName });

export type NewRole = z.infer<typeof role>;
export type NewDatabase = z.infer<typeof database>;

export const NEW_ROLE = section('role', role);
export const NEW_DATABASE = section('database', database);
export const DATABASE_CHANGE = section('database', attributes(database.shape));
