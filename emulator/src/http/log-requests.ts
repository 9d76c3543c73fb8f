import type { FastifyInstance, FastifyRequest } from 'fastify';
import { apiPathOf } from './api-path';
import { SERVER_LIMITS } from './server-limits';

/** A request as it arrived, and the status of its response. */
export interface LoggedRequest {
  readonly method: string;
  /** Path after the version segment, without the query, such as `/projects/p/endpoints`. */
  readonly path: string;
  readonly query: string;
  /** When it arrived, ISO 8601. */
  readonly time: string;
  readonly requestId: string;
  /** The body of a write; undefined when there was none. */
  body?: unknown;
  /** HTTP status of the response; null until it is sent, and permanently if it was lost. */
  status: number | null;
}

/** In bytes: those of the bodies as they arrived, of paths and queries, and a kilobyte for the rest of each request. */
const LARGEST_LOG = 32 * 1024 * 1024;

/** The latest authorized requests to the API, oldest first. Requests to `/admin` are not logged. */
export class RequestLog {
  readonly #requests: { readonly request: LoggedRequest; readonly bytes: number }[] = [];
  #bytes = 0;

  add(request: LoggedRequest, bodyBytes = 0): void {
    const bytes = 1024 + request.path.length + request.query.length + bodyBytes;
    this.#requests.push({ request, bytes });
    this.#bytes += bytes;
    while (this.#bytes > LARGEST_LOG) this.#bytes -= this.#requests.shift()?.bytes ?? 0;
  }

  list(): LoggedRequest[] {
    return structuredClone(this.#requests.map(({ request }) => request));
  }
}

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
    // A body in chunks may have any length that is allowed.
    const { 'content-length': length = 0, 'transfer-encoding': coding } = request.headers;
    const most = SERVER_LIMITS.bodyBytes;
    log.add(entry, coding === undefined ? Math.min(Number(length), most) : most);
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
