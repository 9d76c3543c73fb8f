import { ApiError, conflict, found, unprocessable } from '../records/api-error';
import { newDatabaseId, newPassword } from '../records/ids';
import {
  type BranchRecord,
  type EndpointRecord,
  type OperationRecord,
  type Purpose,
  readWriteEndpointOf,
  type Step,
} from '../records/records';
import type { Database, Role } from '../records/wire-types';
import type { NewDatabase, NewRole } from '../requests/role-and-database-attributes';
import type { ControlPlane } from './control-plane';
import { applyConfigStep, suspendStep } from './endpoint-changes';
import { checkNone, checkUnlocked } from './locks';
import { targetStateOf } from './power-state';

export interface Changed<Item> {
  readonly item: Item;
  readonly operations: readonly OperationRecord[];
}

export function findRole({ roles, wire }: Pick<BranchRecord, 'roles' | 'wire'>, roleName: string): Role {
  const role = roles.find(({ name }) => name === roleName);
  return found(role, `branch ${wire.id}: role`, roleName);
}

export function revealPassword(branch: BranchRecord, roleName: string): string {
  const { project } = branch;
  const { password } = findRole(branch, roleName);
  if (!project.wire.store_passwords) {
    const message = `project ${project.wire.id} does not store passwords: reset the password to get a new one`;
    throw new ApiError(412, 'PASSWORDS_NOT_STORED', message);
  }
  return found(password, `branch ${branch.wire.id}: the password of role`, roleName);
}

export function findDatabase({ databases, wire }: BranchRecord, databaseName: string): Database {
  const database = databases.find(({ name }) => name === databaseName);
  return found(database, `branch ${wire.id}: database`, databaseName);
}

export function createRole(plane: ControlPlane, branch: BranchRecord, requested: NewRole): Changed<Role> {
  const { roles, wire } = branch;
  const add = (now: string): Role => {
    checkNameIsFree(roles, 'role', requested.name);
    const role = newRole(wire.id, requested, now);
    roles.push(role);
    return role;
  };
  return change(plane, branch, add, 'connection-drop');
}

export function resetPassword(plane: ControlPlane, branch: BranchRecord, roleName: string): Changed<Role> {
  const role = findRole(branch, roleName);
  if (role.password === undefined) {
    throw unprocessable('ROLE_HAS_NO_LOGIN', `role ${roleName} cannot log in: it has no password to reset`);
  }
  const reset = (now: string) => Object.assign(role, { password: newPassword(), updated_at: now });
  return change(plane, branch, reset, 'connection-drop');
}

export function deleteRole(
  plane: ControlPlane,
  branch: BranchRecord,
  roleName: string,
): Changed<Role> | undefined {
  const { roles, databases } = branch;
  const owned = databases.find(({ owner_name }) => owner_name === roleName);
  if (owned !== undefined) {
    throw unprocessable(
      'ROLE_OWNS_DATABASE',
      `role ${roleName} owns the database ${owned.name}: delete it, or change its owner, first`,
    );
  }
  return removeFrom(plane, branch, roles, roleName);
}

export function createDatabase(
  plane: ControlPlane,
  branch: BranchRecord,
  requested: NewDatabase,
): Changed<Database> {
  const { databases, wire } = branch;
  findRole(branch, requested.owner_name);
  return change(plane, branch, (now) => {
    checkNameIsFree(databases, 'database', requested.name);
    const database = newDatabase(wire.id, requested, now);
    databases.push(database);
    return database;
  });
}

export function updateDatabase(
  plane: ControlPlane,
  branch: BranchRecord,
  databaseName: string,
  requested: Partial<NewDatabase>,
): Changed<Database> {
  const { databases } = branch;
  const database = findDatabase(branch, databaseName);
  if (requested.owner_name !== undefined) findRole(branch, requested.owner_name);
  return change(plane, branch, (now) => {
    const others = databases.filter((other) => other !== database);
    if (requested.name !== undefined) checkNameIsFree(others, 'database', requested.name);
    return Object.assign(database, requested, { updated_at: now });
  });
}

export function removeFrom<Item extends { name: string }>(
  plane: ControlPlane,
  branch: BranchRecord,
  items: Item[],
  itemName: string,
): Changed<Item> | undefined {
  const item = items.find(({ name }) => name === itemName);
  if (item === undefined) return undefined;
  return change(plane, branch, () => {
    items.splice(items.indexOf(item), 1);
    return item;
  });
}

/** Does the work unless a lock forbids it. The record shows the change at once, whether or not its operations succeed. */
function change<Item>(
  plane: ControlPlane,
  branch: BranchRecord,
  work: (now: string) => Item,
  purpose?: Purpose,
): Changed<Item> {
  const { project, wire } = branch;
  const { id: branchId } = wire;
  const endpoint = readWriteEndpointOf(project, branchId);
  const target = endpoint === undefined ? { branchId } : { branchId, endpointId: endpoint.wire.id };
  checkUnlocked(plane.settings.locks, project, target);
  checkNone(branch, 'branch-restore');
  const item = work(plane.clock.now());
  plane.journal.noteBranch(branch);
  return { item, operations: plane.runner.start(project, stepsOf(branchId, endpoint, purpose)) };
}

/** apply_config needs a compute, so an idle one runs until then. */
function stepsOf(branchId: string, endpoint?: EndpointRecord, purpose?: Purpose): Step[] {
  if (endpoint === undefined) return [{ action: 'apply_config', branchId }];
  const apply: Step = { ...applyConfigStep(endpoint), ...(purpose && { purpose }) };
  const isIdle = targetStateOf(endpoint) === 'idle';
  return isIdle ? [apply, suspendStep(endpoint, { isAutosuspend: true })] : [apply];
}

function checkNameIsFree(items: readonly { name: string }[], what: string, wanted: string): void {
  if (!items.some(({ name }) => name === wanted)) return;
  throw conflict(`${what.toUpperCase()}_EXISTS`, `the branch already has a ${what} ${wanted}`);
}

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

function newRole(
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
