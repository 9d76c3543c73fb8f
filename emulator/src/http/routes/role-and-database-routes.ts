import type { FastifyInstance } from 'fastify';
import type { ControlPlane } from '../../control-plane/control-plane';
import { showOperations, showRole } from '../../control-plane/response-bodies';
import {
  type Changed,
  createDatabase,
  createRole,
  deleteRole,
  findDatabase,
  findRole,
  removeFrom,
  resetPassword,
  revealPassword,
  updateDatabase,
} from '../../control-plane/roles-and-databases';
import { DATABASE_CHANGE, NEW_DATABASE, NEW_ROLE } from '../../requests/role-and-database-attributes';
import type { BranchPath } from './late-reads';

type RolePath = { Params: BranchPath['Params'] & { role_name: string } };
type DatabasePath = { Params: BranchPath['Params'] & { database_name: string } };

const BRANCH = '/projects/:project_id/branches/:branch_id';
const ROLES = `${BRANCH}/roles`;
const ROLE = `${ROLES}/:role_name`;
const DATABASES = `${BRANCH}/databases`;
const DATABASE = `${DATABASES}/:database_name`;

/** Only the responses to a create and to the two calls for passwords contain a password. */
export function addRoleAndDatabaseRoutes(api: FastifyInstance, plane: ControlPlane): void {
  const { store } = plane;

  api.get<BranchPath>(ROLES, ({ params }) => ({
    roles: store.branchAt(params).roles.map(showRole),
  }));

  api.post<BranchPath>(ROLES, ({ params, body }, reply) => {
    const requested = NEW_ROLE.readBody(body);
    return reply.code(201).send(show('role', createRole(plane, store.branchAt(params), requested)));
  });

  api.get<RolePath>(ROLE, ({ params }) => ({
    role: showRole(findRole(store.branchAt(params), params.role_name)),
  }));

  api.delete<RolePath>(ROLE, ({ params }, reply) => {
    const deleted = deleteRole(plane, store.branchAt(params), params.role_name);
    if (deleted === undefined) return reply.code(204).send();
    return reply.send(show('role', { ...deleted, item: showRole(deleted.item) }));
  });

  api.get<RolePath>(`${ROLE}/reveal_password`, ({ params }) => ({
    password: revealPassword(store.branchAt(params), params.role_name),
  }));

  api.post<RolePath>(`${ROLE}/reset_password`, ({ params }) =>
    show('role', resetPassword(plane, store.branchAt(params), params.role_name)),
  );

  api.get<BranchPath>(DATABASES, ({ params }) => ({ databases: store.branchAt(params).databases }));

  api.post<BranchPath>(DATABASES, ({ params, body }, reply) => {
    const requested = NEW_DATABASE.readBody(body);
    return reply.code(201).send(show('database', createDatabase(plane, store.branchAt(params), requested)));
  });

  api.get<DatabasePath>(DATABASE, ({ params }) => ({
    database: findDatabase(store.branchAt(params), params.database_name),
  }));

  api.patch<DatabasePath>(DATABASE, ({ params, body }) => {
    const requested = DATABASE_CHANGE.readBody(body);
    return show('database', updateDatabase(plane, store.branchAt(params), params.database_name, requested));
  });

  api.delete<DatabasePath>(DATABASE, ({ params }, reply) => {
    const branch = store.branchAt(params);
    const deleted = removeFrom(plane, branch, branch.databases, params.database_name);
    return deleted === undefined ? reply.code(204).send() : reply.send(show('database', deleted));
  });
}

function show(kind: 'role' | 'database', { item, operations }: Changed<object>): object {
  return { [kind]: item, operations: showOperations(operations) };
}
