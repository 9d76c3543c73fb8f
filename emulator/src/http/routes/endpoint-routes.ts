import type { FastifyInstance } from 'fastify';
import { showEndpointWork } from '../../control-plane/response-bodies';
import { noBranch, noEndpoint } from '../../records/api-error';
import type { ControlPlane } from '../../control-plane/control-plane';
import { readEndpointChange, readNewEndpoint } from '../../requests/endpoint-attributes';
import { commandEndpoint } from '../../control-plane/power-commands';
import { createEndpoint, deleteEndpoint, updateEndpoint } from '../../control-plane/endpoints';
import { readSection } from '../../requests/request-body';
import { LATE_GET, LATE_LIST, viewFor } from '../late-reads';
import type { BranchPath, EndpointPath, ProjectPath } from '../query-parameters';

const COLLECTION = '/projects/:project_id/endpoints';
const ONE = `${COLLECTION}/:endpoint_id`;

export function addEndpointRoutes(api: FastifyInstance, plane: ControlPlane): void {
  const { store, settings } = plane;

  api.get<ProjectPath>(COLLECTION, LATE_LIST, (request) => {
    const project = store.project(request.params.project_id);
    return { endpoints: viewFor(plane, project, request).endpoints() };
  });

  api.get<BranchPath>('/projects/:project_id/branches/:branch_id/endpoints', LATE_LIST, (request) => {
    const project = store.project(request.params.project_id);
    const { branch_id } = request.params;
    const view = viewFor(plane, project, request);
    if (view.branch(branch_id) === undefined) throw noBranch(project.wire.id, branch_id);
    return { endpoints: view.endpoints().filter((endpoint) => endpoint.branch_id === branch_id) };
  });

  api.post<ProjectPath>(COLLECTION, (request, reply) => {
    const project = store.project(request.params.project_id);
    const attributes = readNewEndpoint(readSection(request.body, 'endpoint'), settings.unknownAttributes);
    const work = createEndpoint(plane, project, attributes);
    return reply.code(201).send(showEndpointWork(work));
  });

  api.get<EndpointPath>(ONE, LATE_GET, (request) => {
    const project = store.project(request.params.project_id);
    const { endpoint_id } = request.params;
    const endpoint = viewFor(plane, project, request).endpoint(endpoint_id);
    if (endpoint === undefined) throw noEndpoint(project.wire.id, endpoint_id);
    return { endpoint };
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
