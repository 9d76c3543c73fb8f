import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import type { ControlPlane } from '../control-plane/control-plane';
import type { Controls } from '../controls/controls';
import { addAuthorization, addConsoleGuard } from './access';
import { API_PREFIX } from './api-path';
import { addErrorResponses, describeError, sendError } from './error-responses';
import { addHttpFaults } from './http-faults';
import { acceptJson } from './json-body';
import { addRequestLog, addStatusLog, type RequestLog } from './log-requests';
import { addRateLimit } from './rate-limiter';
import { addAccountRoutes } from './routes/account-routes';
import { addAdminRoutes } from './routes/admin-routes';
import { addBranchRoutes } from './routes/branch-routes';
import { addConsoleRoutes } from './routes/console-routes';
import { addEndpointRoutes } from './routes/endpoint-routes';
import { addOperationRoutes } from './routes/operation-routes';
import { addProjectRoutes } from './routes/project-routes';
import { addRoleAndDatabaseRoutes } from './routes/role-and-database-routes';
import { addNewcomersLimit, addReadingLimit, SERVER_LIMITS, type ServerLimits } from './server-limits';

const REQUEST_ID_PATTERN = /^[\w.-]{1,128}$/;

export interface ServerParts {
  readonly plane: ControlPlane;
  readonly controls: Controls;
  readonly log: RequestLog;
  readonly stopped: AbortSignal;
  /** Saves changes; without it all data is in memory, and no response waits for the disk. */
  readonly journal?: { saved(): Promise<void> } | undefined;
  readonly limits?: ServerLimits;
}

export function createServer(parts: ServerParts): FastifyInstance {
  const { plane, controls, log, stopped, journal, limits = SERVER_LIMITS } = parts;
  const app = Fastify({
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    http: { headersTimeout: limits.headersMs, connectionsCheckingInterval: limits.checkEveryMs },
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    genReqId: ({ headers }) => {
      const requested = headers['x-request-id'];
      return typeof requested === 'string' && REQUEST_ID_PATTERN.test(requested) ? requested : randomUUID();
    },
    frameworkErrors: sendError,
  });
  acceptJson(app);
  addErrorResponses(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  addConsoleGuard(app, plane.settings);
  addAuthorization(app, plane);
  addNewcomersLimit(app, limits);
  addRequestLog(app, log);
  addRateLimit(app, plane);
  if (journal !== undefined) waitForSaves(app, journal);
  addHttpFaults(app, plane.faults, stopped);
  addStatusLog(app);
  addReadingLimit(app, limits);
  app.register(async (api) => addApiRoutes(api, plane), { prefix: API_PREFIX });
  app.register(async (admin) => addAdminRoutes(admin, controls), { prefix: '/admin' });
  app.register(async (pages) => addConsoleRoutes(pages, plane, stopped));
  return app;
}

export function addApiRoutes(api: FastifyInstance, plane: ControlPlane): void {
  addProjectRoutes(api, plane);
  addBranchRoutes(api, plane);
  addRoleAndDatabaseRoutes(api, plane);
  addEndpointRoutes(api, plane);
  addOperationRoutes(api, plane);
  addAccountRoutes(api, plane);
}

/** Sends a response only after the changes that it made, or shows, are on the disk. */
function waitForSaves(app: FastifyInstance, journal: { saved(): Promise<void> }): void {
  app.addHook('onSend', async (request, reply, payload) => {
    try {
      await journal.saved();
      return payload;
    } catch (error) {
      return JSON.stringify(describeError(error, request, reply));
    }
  });
}
