import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { LoggedRequest, RequestLog } from '../requests/request-log';
import { apiPathOf } from './api-path';

const entries = new WeakMap<FastifyRequest, LoggedRequest>();

/** Register it after authorization, so that only requests with the key are logged. */
export function addRequestLog(app: FastifyInstance, log: RequestLog): void {
  app.addHook('onRequest', async (request) => {
    const path = apiPathOf(request);
    if (path === undefined) return;
    const entry: LoggedRequest = {
      method: request.method,
      path,
      query: request.url.split('?').slice(1).join('?'),
      time: new Date().toISOString(),
      requestId: request.id,
      status: null,
    };
    entries.set(request, entry);
    log.add(entry);
  });
  app.addHook('preHandler', async (request) => {
    const entry = entries.get(request);
    if (entry !== undefined && request.body !== undefined) entry.body = request.body;
  });
}

/** Register it after the faults, so that it logs the status that the client receives. */
export function addStatusLog(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const entry = entries.get(request);
    if (entry !== undefined && !request.raw.socket.destroyed) entry.status = reply.statusCode;
    return payload;
  });
}
