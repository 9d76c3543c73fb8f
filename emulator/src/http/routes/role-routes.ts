import type { FastifyInstance } from 'fastify';
import { revealPassword } from '../../control-plane/connection-uris';
import type { ControlPlane } from '../../control-plane/control-plane';
import { showOperations, showRole } from '../../control-plane/response-bodies';
import { createRole, deleteRole, findRole, resetPassword } from '../../control-plane/roles-and-databases';
import { NEW_ROLE } from '../../requests/role-and-database-attributes';
import type { BranchPath } from './late-reads';

type RolePath = { Params: { project_id: string; branch_id: string; role_name: string } };

const COLLECTION = '/projects/:project_id/branches/:branch_id/roles';
const ONE = `${COLLECTION}/:role_name`;

/** Only the responses to a create and to the two calls for passwords contain a password. */
export function addRoleRoutes(api: FastifyInstance, plane: ControlPlane): void {
  const { store, settings } = plane;

  api.get<BranchPath>(COLLECTION, ({ params }) => ({
    roles: store.place(params).branch.roles.map(showRole),
  }));

  api.post<BranchPath>(COLLECTION, ({ params, body }, reply) => {
    const requested = NEW_ROLE.readBody(body, settings.unknownAttributes);
    const { item: role, operations } = createRole(plane, store.place(params), requested);
    return reply.code(201).send({ role, operations: showOperations(operations) });
  });

  api.get<RolePath>(ONE, ({ params }) => ({
    role: showRole(findRole(store.place(params).branch, params.role_name)),
  }));

  api.delete<RolePath>(ONE, ({ params }, reply) => {
    const deleted = deleteRole(plane, store.place(params), params.role_name);
    if (deleted === undefined) return reply.code(204).send();
    return reply.send({ role: showRole(deleted.item), operations: showOperations(deleted.operations) });
  });

  api.get<RolePath>(`${ONE}/reveal_password`, ({ params }) => ({
    password: revealPassword(store.place(params), params.role_name),
  }));

  api.post<RolePath>(`${ONE}/reset_password`, ({ params }) => {
    const { item: role, operations } = resetPassword(plane, store.place(params), params.role_name);
    return { role, operations: showOperations(operations) };
  });
}
