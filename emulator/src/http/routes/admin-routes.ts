import type { FastifyInstance } from 'fastify';
import type { Controls } from '../../controls/controls';
import type { Fault, InjectedFault } from '../../faults/faults';
import { found } from '../../records/api-error';

type FaultPath = { Params: { fault_id: string } };
type EndpointPath = { Params: { endpoint_id: string } };

/** Controls over HTTP, for tests in other languages and for use from a shell. They validate what they get. */
export function addAdminRoutes(admin: FastifyInstance, controls: Controls): void {
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
  admin.get<EndpointPath>('/endpoints/:endpoint_id/restarts', (request) => ({
    restarts: controls.restarts(request.params.endpoint_id),
    connection_drops: controls.connectionDrops(request.params.endpoint_id),
  }));
  admin.post<EndpointPath>('/endpoints/:endpoint_id/connect', (request) => ({
    operations: controls.connect(request.params.endpoint_id),
  }));
}

function showFault({ id, fault, hits }: InjectedFault): object {
  return { id, ...fault, hits };
}
