import { randomUUID, timingSafeEqual } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { ApiError, badRequest, unsupportedMediaType } from '../records/api-error';
import { addConsoleGuard, needsNoKey } from './console-guard';
import type { ControlPlane } from '../control-plane/control-plane';
import type { Controls } from '../controls/controls';
import { addHttpFaults } from './http-faults';
import { isNestedDeeper } from '../requests/request-body';
import { addAdminRoutes } from './routes/admin-routes';
import { addBranchRoutes } from './routes/branch-routes';
import { addConsoleRoutes } from './routes/console-routes';
import { addEndpointRoutes } from './routes/endpoint-routes';
import { addOperationRoutes } from './routes/operation-routes';
import { addProjectRoutes } from './routes/project-routes';
import { reasonOf } from '../records/thrown-reason';
import { addErrorAnswers, answerBrokenRequest, answerError, showError } from './error-responses';
import { RateLimit } from './rate-limit';
import type { LoggedRequest, RequestLog } from '../requests/request-log';
import { addReadingLimit, fastifyLimits, SERVER_LIMITS, type ServerLimits } from './server-limits';

export const API_PREFIX = '/api/v2';
const DEEPEST_BODY = 32;
const REQUEST_ID_PATTERN = /^[\w.-]{1,128}$/;

export interface ServerParts {
  readonly plane: ControlPlane;
  readonly controls: Controls;
  readonly log: RequestLog;
  readonly stopped: AbortSignal;
  /** undefined: everything is in memory, and no answer waits for a disk. */
  readonly journal?: { saved(): Promise<void> } | undefined;
  readonly limits?: ServerLimits;
}

export function createServer(parts: ServerParts): FastifyInstance {
  const { plane, controls, log, stopped, journal, limits = SERVER_LIMITS } = parts;
  const app = Fastify({
    ...fastifyLimits(limits),
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    genReqId: ({ headers }) => {
      const asked = headers['x-request-id'];
      return typeof asked === 'string' && REQUEST_ID_PATTERN.test(asked) ? asked : randomUUID();
    },
    frameworkErrors: answerError,
    clientErrorHandler: answerBrokenRequest,
  });
  acceptJson(app);
  addErrorAnswers(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  addConsoleGuard(app, plane.settings);
  addGate(app, plane);
  addRequestLog(app, log);
  addRateLimit(app, plane);
  if (journal !== undefined) addDurability(app, journal);
  addHttpFaults(app, plane.faults, apiPathOf, stopped);
  addStatusLog(app);
  addReadingLimit(app, limits);
  app.register(
    async (api) => {
      addProjectRoutes(api, plane);
      addBranchRoutes(api, plane);
      addEndpointRoutes(api, plane);
      addOperationRoutes(api, plane);
    },
    { prefix: API_PREFIX },
  );
  app.register(async (admin) => addAdminRoutes(admin, controls), { prefix: '/admin' });
  app.register(async (pages) => addConsoleRoutes(pages, plane, stopped));
  return app;
}

/** No answer goes out before what it tells is on the disk: what it was asked for, and what it shows. */
function addDurability(app: FastifyInstance, journal: { saved(): Promise<void> }): void {
  app.addHook('onSend', async (request, reply, payload) => {
    try {
      await journal.saved();
      return payload;
    } catch (error) {
      return JSON.stringify(showError(error, request, reply));
    }
  });
}

/** An empty body is no body, whatever its content type: calls such as start take none, and clients differ in the type. */
function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    let value: unknown;
    try {
      value = JSON.parse(String(body));
    } catch (error) {
      return done(badRequest(`${request.method} ${request.url}: the body is no JSON: ${reasonOf(error)}`));
    }
    if (!isNestedDeeper(value, DEEPEST_BODY)) return done(null, value);
    done(
      badRequest(`${request.method} ${request.url}: the body is nested deeper than ${DEEPEST_BODY} levels`),
    );
  });
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    done(unsupportedMediaType(`${request.method} ${request.url}`));
  });
}

const entries = new WeakMap<FastifyRequest, LoggedRequest>();

/** Comes after the gate: who has no key puts nothing into the log. */
function addRequestLog(app: FastifyInstance, log: RequestLog): void {
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
function addStatusLog(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const entry = entries.get(request);
    if (entry !== undefined && !request.raw.socket.destroyed) entry.status = reply.statusCode;
    return payload;
  });
}

/** Lets in only requests with the key. */
function addGate(app: FastifyInstance, { settings }: ControlPlane): void {
  app.addHook('onRequest', async (request) => {
    if (needsNoKey(request) || isAuthorized(request.headers.authorization, settings.apiKey)) return;
    throw new ApiError(
      401,
      'UNAUTHORIZED',
      'the header Authorization must be: Bearer <API_KEY>, with a key that is known',
    );
  });
}

/** `/admin` and the console have no rate limit. */
function addRateLimit(app: FastifyInstance, { settings }: ControlPlane): void {
  const rateLimit = new RateLimit(settings.requestsPerMinute);
  app.addHook('onRequest', async (request, reply) => {
    const waitSeconds = apiPathOf(request) === undefined ? 0 : rateLimit.take();
    if (waitSeconds === 0) return;
    reply.header('retry-after', String(waitSeconds));
    throw new ApiError(
      429,
      'RATE_LIMITED',
      `more than ${settings.requestsPerMinute} requests in a minute: send the request again in ${waitSeconds} s`,
    );
  });
}

function isAuthorized(header: string | undefined, apiKey: string): boolean {
  const given = Buffer.from(/^bearer +(\S+)$/i.exec(header ?? '')?.[1] ?? '');
  const expected = Buffer.from(apiKey);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The path after the version segment, or undefined for a request to something else. */
function apiPathOf(request: FastifyRequest): string | undefined {
  const [path = ''] = request.url.split('?');
  if (path !== API_PREFIX && !path.startsWith(`${API_PREFIX}/`)) return undefined;
  return path.slice(API_PREFIX.length);
}
