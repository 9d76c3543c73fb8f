import type { FastifyInstance } from 'fastify';
import type { Controls } from '../../controls/controls';
import type { Fault, InjectedFault } from '../../faults/faults';
import { found } from '../../records/api-error';
import type { EndpointAttributes, NewEndpointAttributes } from '../../requests/endpoint-attributes';
import { sectionOf } from '../../validation/parse';
import type { ProjectPath } from './late-reads';

type FaultPath = { Params: { fault_id: string } };
type EndpointPath = { Params: { endpoint_id: string } };

/** The controls over HTTP, for tests in other languages and for use from a shell. They validate what they get. */
export function addAdminRoutes(admin: FastifyInstance, controls: Controls): void {
  const locks = new Map<string, () => void>();

  admin.get('/requests', () => ({ requests: controls.requests() }));
  admin.get('/faults', () => ({ faults: controls.faults().map(showFault) }));
  admin.post('/faults', (request, reply) =>
    reply.code(201).send({ fault: showFault(controls.inject(request.body as Fault)) }),
  );
  admin.delete<FaultPath>('/faults/:fault_id', (request, reply) => {
    const { fault_id } = request.params;
    const fault = controls.faults().find(({ id }) => id === fault_id);
    found(fault, 'fault', fault_id).clear();
    return reply.code(204).send();
  });

  admin.post<ProjectPath>('/projects/:project_id/lock', (request, reply) => {
    const { project_id } = request.params;
    if (!locks.has(project_id)) locks.set(project_id, controls.lockProject(project_id));
    return reply.code(204).send();
  });
  admin.delete<ProjectPath>('/projects/:project_id/lock', (request, reply) => {
    const { project_id } = request.params;
    locks.get(project_id)?.();
    locks.delete(project_id);
    return reply.code(204).send();
  });

  admin.post<ProjectPath>('/projects/:project_id/endpoints', ({ body, params }, reply) => {
    const attributes = sectionOf(body, 'endpoint') as NewEndpointAttributes;
    const { endpoint: _endpoint, ...options } = body as { endpoint: unknown };
    return reply
      .code(201)
      .send({ endpoint: controls.createEndpoint(params.project_id, attributes, options) });
  });

  admin.get<EndpointPath>('/endpoints/:endpoint_id/restarts', (request) => ({
    restarts: controls.restarts(request.params.endpoint_id),
    connection_drops: controls.connectionDrops(request.params.endpoint_id),
  }));
  admin.post<EndpointPath>('/endpoints/:endpoint_id/connect', (request) => ({
    operations: controls.connect(request.params.endpoint_id),
  }));
  admin.patch<EndpointPath>('/endpoints/:endpoint_id', (request) => {
    const attributes = sectionOf(request.body, 'endpoint') as EndpointAttributes;
    return { endpoint: controls.changeEndpoint(request.params.endpoint_id, attributes) };
  });
  admin.delete<EndpointPath>('/endpoints/:endpoint_id', (request, reply) => {
    controls.deleteEndpoint(request.params.endpoint_id);
    return reply.code(204).send();
  });
}

function showFault({ id, fault, hits }: InjectedFault): object {
  return { id, ...fault, hits };
}
