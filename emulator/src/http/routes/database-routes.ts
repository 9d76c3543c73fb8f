import type { FastifyInstance } from 'fastify';
import type { ControlPlane } from '../../control-plane/control-plane';
import { showOperations } from '../../control-plane/response-bodies';
import {
  type Changed,
  createDatabase,
  deleteDatabase,
  findDatabase,
  updateDatabase,
} from '../../control-plane/roles-and-databases';
import type { Database } from '../../records/wire-types';
import { DATABASE_CHANGE, NEW_DATABASE } from '../../requests/role-and-database-attributes';
import type { BranchPath } from './late-reads';

type DatabasePath = { Params: { project_id: string; branch_id: string; database_name: string } };

const COLLECTION = '/projects/:project_id/branches/:branch_id/databases';
const ONE = `${COLLECTION}/:database_name`;

export function addDatabaseRoutes(api: FastifyInstance, plane: ControlPlane): void {
  const { store, settings } = plane;

  api.get<BranchPath>(COLLECTION, ({ params }) => ({ databases: store.place(params).branch.databases }));

  api.post<BranchPath>(COLLECTION, ({ params, body }, reply) => {
    const requested = NEW_DATABASE.readBody(body, settings.unknownAttributes);
    return reply.code(201).send(show(createDatabase(plane, store.place(params), requested)));
  });

  api.get<DatabasePath>(ONE, ({ params }) => ({
    database: findDatabase(store.place(params).branch, params.database_name),
  }));

  api.patch<DatabasePath>(ONE, ({ params, body }) => {
    const requested = DATABASE_CHANGE.readBody(body, settings.unknownAttributes);
    return show(updateDatabase(plane, store.place(params), params.database_name, requested));
  });

  api.delete<DatabasePath>(ONE, ({ params }, reply) => {
    const deleted = deleteDatabase(plane, store.place(params), params.database_name);
    return deleted === undefined ? reply.code(204).send() : reply.send(show(deleted));
  });
}

function show({ item: database, operations }: Changed<Database>): object {
  return { database, operations: showOperations(operations) };
}
