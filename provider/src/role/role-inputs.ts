import * as z from 'zod';
import { findShapeFailures, flag, type InputFailure, id, triggers } from '../lifecycle/input-values';
import type { Declared, Properties } from '../lifecycle/resource-identity';
import type { Prior, Unsettled } from '../lifecycle/resource-state';

/** Postgres counts bytes. */
const longestName = 63;
/** The names that Postgres and the service have for themselves (docs/service.md, "Roles and databases"). */
const reserved = /^(pg_.*|cloud_admin|neon_superuser|zenith_admin|public|none)$/s;

const length = `must be 1 to ${longestName} bytes`;
const own =
  'must be no name of the service or of Postgres: pg_*, cloud_admin, neon_superuser, zenith_admin, public, none';

/** What each argument may hold; resources/role-args.ts says what each means. */
const shape = {
  projectId: id('project'),
  branchId: id('branch'),
  name: z
    .string(length)
    .refine((name) => name !== '' && Buffer.byteLength(name) <= longestName && !name.includes('\0'), length)
    .refine((name) => !reserved.test(name), own),
  passwordTriggers: triggers('gives the role a new password'),
  adopt: flag,
};

const required = {
  projectId: 'names the project that the branch belongs to',
  branchId: 'names the branch that has the role',
  name: 'is the name of the role in Postgres',
};

type InputValues = { readonly [Name in keyof typeof shape]: z.infer<(typeof shape)[Name]> };

/** The arguments of a Role as Pulumi passes them to a provider. */
export type RoleInputs = Pick<InputValues, keyof typeof required> &
  Partial<Omit<InputValues, keyof typeof required>>;

/** The outputs in state. */
export type RoleOutputs = RoleInputs &
  Unsettled & {
    readonly createdAt: string;
    /** Absent where the project stores no passwords, and no request of a run has set it. */
    readonly password?: string;
    readonly __schemaVersion: number;
  };

export type RoleDeclaration = Declared<RoleInputs>;
export type PriorRole = Prior<RoleInputs, RoleOutputs>;

export function findInputFailures(given: Properties): InputFailure[] {
  return findShapeFailures({ of: 'a Role', shape, required }, given);
}
