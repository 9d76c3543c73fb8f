import { newDatabaseId, newPassword } from '../records/ids';
import type { BranchRecord } from '../records/records';
import type { Database, Role } from '../records/wire-types';

/** A branch's roles and databases. */
export type Access = Pick<BranchRecord, 'roles' | 'databases'>;

/** The role and the database that every project has from its creation. */
export function firstAccess(
  branchId: string,
  { database, role }: { readonly database: string; readonly role: string },
  now: string,
): Access {
  return {
    roles: [newRole(branchId, { name: role }, now)],
    databases: [newDatabase(branchId, { name: database, owner_name: role }, now)],
  };
}

/**
 * A new branch has the roles and the databases of its source.
 * @param secret for a protected source, whose passwords stay secret: the roles get those of `before`, or new ones
 */
export function copyAccess(
  { roles, databases }: Access,
  branchId: string,
  secret?: { readonly now: string; readonly before: readonly Role[] },
): Access {
  const withPassword = (role: Role): Role => {
    if (secret === undefined || role.password === undefined) return role;
    const password = secret.before.find(({ name }) => name === role.name)?.password ?? newPassword();
    return { ...role, password, updated_at: secret.now };
  };
  return {
    roles: roles.map((role) => ({ ...withPassword(role), branch_id: branchId })),
    databases: databases.map((database) => ({ ...database, id: newDatabaseId(), branch_id: branchId })),
  };
}

/** The branch that keeps the data of another one keeps its databases, with their ids. */
export function keptAccess({ roles, databases }: Access, branchId: string): Access {
  const move = <Item>(item: Item) => ({ ...item, branch_id: branchId });
  return { roles: roles.map(move), databases: databases.map(move) };
}

export function newRole(
  branchId: string,
  { name, no_login = false }: { name: string; no_login?: boolean },
  now: string,
): Role {
  return {
    branch_id: branchId,
    name,
    ...(no_login ? {} : { password: newPassword() }),
    protected: false,
    authentication_method: no_login ? 'no_login' : 'password',
    created_at: now,
    updated_at: now,
  };
}

export function newDatabase(
  branchId: string,
  attributes: Pick<Database, 'name' | 'owner_name'>,
  now: string,
): Database {
  return { id: newDatabaseId(), branch_id: branchId, ...attributes, created_at: now, updated_at: now };
}
