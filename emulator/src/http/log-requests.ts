import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { LoggedRequest, RequestLog } from '../requests/request-log';
import { apiPathOf } from './api-path';

const entries = new WeakMap<FastifyRequest, LoggedRequest>();

/** Comes after the gate: who has no key puts nothing into the log. */
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
    if (entry !== undefined && request.body !== undefined) log.addBody(entry, request.body);
  });
}

/** Comes after the faults, so that it sees the status that the client sees. */
export function addStatusLog(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const entry = entries.get(request);
    if (entry !== undefined && !request.raw.socket.destroyed) entry.status = reply.statusCode;
    return payload;
  });
}
