import type { FastifyInstance } from 'fastify';
import type { ControlPlane } from '../../control-plane/control-plane';
import { createEndpoint, deleteEndpoint, updateEndpoint } from '../../control-plane/endpoints';
import { commandEndpoint } from '../../control-plane/power-commands';
import { showEndpointResult } from '../../control-plane/response-bodies';
import { onceVerified } from '../../control-plane/verify-settings';
import { found } from '../../records/api-error';
import { ENDPOINT_CHANGE, NEW_ENDPOINT } from '../../requests/endpoint-attributes';
import {
  type BranchPath,
  type EndpointPath,
  LATE_GET,
  LATE_LIST,
  type ProjectPath,
  snapshotFor,
} from './late-reads';

const COLLECTION = '/projects/:project_id/endpoints';
const ONE = `${COLLECTION}/:endpoint_id`;

export function addEndpointRoutes(api: FastifyInstance, plane: ControlPlane): void {
  const { store } = plane;

  api.get<ProjectPath>(COLLECTION, LATE_LIST, (request) => ({
    endpoints: [...snapshotFor(plane, request).endpoints.values()],
  }));

  api.get<BranchPath>('/projects/:project_id/branches/:branch_id/endpoints', LATE_LIST, (request) => {
    const { project_id, branch_id } = request.params;
    const view = snapshotFor(plane, request);
    found(view.branches.get(branch_id), `project ${project_id}: branch`, branch_id);
    return { endpoints: [...view.endpoints.values()].filter((endpoint) => endpoint.branch_id === branch_id) };
  });

  api.post<ProjectPath>(COLLECTION, (request, reply) => {
    const attributes = NEW_ENDPOINT.readBody(request.body);
    return onceVerified(plane, [attributes.settings], () => {
      const work = createEndpoint(plane, store.project(request.params.project_id), attributes);
      return reply.code(201).send(showEndpointResult(work));
    });
  });

  api.get<EndpointPath>(ONE, LATE_GET, (request) => {
    const { project_id, endpoint_id } = request.params;
    const endpoint = snapshotFor(plane, request).endpoints.get(endpoint_id);
    return { endpoint: found(endpoint, `project ${project_id}: endpoint`, endpoint_id) };
  });

  api.patch<EndpointPath>(ONE, ({ params, body }) => {
    const requested = ENDPOINT_CHANGE.readBody(body);
    return onceVerified(plane, [requested.settings], () =>
      showEndpointResult(updateEndpoint(plane, store.endpointAt(params), requested)),
    );
  });

  api.delete<EndpointPath>(ONE, ({ params }, reply) => {
    const { deletedEndpoints } = store.project(params.project_id);
    if (deletedEndpoints.has(params.endpoint_id)) return reply.code(204).send();
    return reply.send(showEndpointResult(deleteEndpoint(plane, store.endpointAt(params))));
  });

  for (const command of ['start', 'suspend', 'restart'] as const) {
    api.post<EndpointPath>(`${ONE}/${command}`, ({ params }) =>
      showEndpointResult(commandEndpoint(plane, store.endpointAt(params), command)),
    );
  }
}
