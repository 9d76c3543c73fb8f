import type { FastifyInstance } from 'fastify';
import type { ControlPlane } from '../../control-plane/control-plane';
import { addAccountRoutes } from './account-routes';
import { addBranchRoutes } from './branch-routes';
import { addEndpointRoutes } from './endpoint-routes';
import { addOperationRoutes } from './operation-routes';
import { addProjectRoutes } from './project-routes';
import { addRoleAndDatabaseRoutes } from './role-and-database-routes';

export function addApiRoutes(api: FastifyInstance, plane: ControlPlane): void {
  addProjectRoutes(api, plane);
  addBranchRoutes(api, plane);
  addRoleAndDatabaseRoutes(api, plane);
  addEndpointRoutes(api, plane);
  addOperationRoutes(api, plane);
  addAccountRoutes(api, plane);
}
