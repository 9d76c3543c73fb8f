import type { FastifyInstance } from 'fastify';
import { showEndpoint, showEndpointWork } from '../answers';
import type { ControlPlane } from '../control-plane';
import { readEndpointChange, readNewEndpoint } from '../endpoint-attributes';
import { commandEndpoint } from '../endpoint-power';
import { createEndpoint, deleteEndpoint, updateEndpoint } from '../endpoints';
import { readSection } from '../request-body';
import { endpointsOfBranch } from '../store';
import type { BranchPath, EndpointPath, ProjectPath } from './route-parameters';

const COLLECTION = '/projects/:project_id/endpoints';
const ONE = `${COLLECTION}/:endpoint_id`;

export function addEndpointRoutes(api: FastifyInstance, plane: ControlPlane): void {
  const { store, settings } = plane;

  api.get<ProjectPath>(COLLECTION, (request) => {
    const project = store.project(request.params.project_id);
    return { endpoints: [...project.endpoints.values()].map(showEndpoint) };
  });

  api.get<BranchPath>('/projects/:project_id/branches/:branch_id/endpoints', (request) => {
    const project = store.project(request.params.project_id);
    const branch = store.branch(project, request.params.branch_id);
    return { endpoints: endpointsOfBranch(project, branch.id).map(showEndpoint) };
  });

  api.post<ProjectPath>(COLLECTION, (request, reply) => {
    const project = store.project(request.params.project_id);
    const attributes = readNewEndpoint(readSection(request.body, 'endpoint'), settings.unknownAttributes);
    const work = createEndpoint(plane, project, attributes);
    return reply.code(201).send(showEndpointWork(work));
  });

  api.get<EndpointPath>(ONE, (request) => {
    const project = store.project(request.params.project_id);
    return { endpoint: showEndpoint(store.endpoint(project, request.params.endpoint_id)) };
  });

  api.patch<EndpointPath>(ONE, (request) => {
    const project = store.project(request.params.project_id);
    const asked = readEndpointChange(readSection(request.body, 'endpoint'), settings.unknownAttributes);
    return showEndpointWork(updateEndpoint(plane, project, request.params.endpoint_id, asked));
  });

  api.delete<EndpointPath>(ONE, (request, reply) => {
    const project = store.project(request.params.project_id);
    const work = deleteEndpoint(plane, project, request.params.endpoint_id);
    if (work === undefined) return reply.code(204).send();
    return reply.send(showEndpointWork(work));
  });

  for (const command of ['start', 'suspend', 'restart'] as const) {
    api.post<EndpointPath>(`${ONE}/${command}`, (request) => {
      const project = store.project(request.params.project_id);
      return showEndpointWork(commandEndpoint(plane, project, request.params.endpoint_id, command));
    });
  }
}
