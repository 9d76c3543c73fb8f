import { createServer, type IncomingMessage, type Server } from 'node:http';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Client, DatabaseError } from 'pg';
import { createWebSocketStream, WebSocketServer } from 'ws';
import type { Accept } from '../gateway/client-connection';
import { addErrorResponses, sendError } from '../http/error-responses';
import { LARGEST, openSession, runQueries } from './run-queries';

/** Between two requests, or two parts of one. */
const LONGEST_SILENCE_MS = 60_000;
/** Any page may ask: it needs a password anyway. */
const CROSS_ORIGIN = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };

/**
 * What the service's own driver for functions and edge runtimes uses: queries over HTTP at `/sql`, and the protocol of
 * Postgres over a WebSocket at `/v2`. It listens nowhere: the gateway hands over the connections that begin with HTTP.
 * @param headersTimeout how many milliseconds a client may take for the headers of a request
 */
export async function createDriverServer(accept: Accept, headersTimeout: number): Promise<Server> {
  const server = createServer({ headersTimeout, connectionsCheckingInterval: headersTimeout / 10 });
  server.timeout = LONGEST_SILENCE_MS;
  // Node applies its limits of a request only to a server that listens.
  server.emit('listening');
  acceptWebSockets(server, accept);
  const app = Fastify({
    serverFactory: (handler) => server.on('request', handler),
    bodyLimit: LARGEST,
    exposeHeadRoutes: false,
  });
  addErrorResponses(app);
  // The driver sends its JSON as text.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, app.getDefaultJsonParser('error', 'error'));
  app.addHook('onRequest', async (_request, reply) => void reply.headers(CROSS_ORIGIN));
  app.options('/sql', (_request, reply) => reply.code(204).send());
  const sessions = new WeakMap<FastifyRequest, Client>();
  app.post('/sql', {
    // The body is read only after the login, so that others cannot fill the memory.
    onRequest: async (request) => {
      request.socket.setTimeout(0);
      sessions.set(request, await openSession(request.headers, request.socket));
    },
    handler: (request) => {
      const session = sessions.get(request);
      if (session === undefined) throw new Error('a request without a session');
      return runQueries(session, request.headers, request.body);
    },
    onSend: async (request, _reply, payload) => {
      await sessions.get(request)?.end();
      request.socket.setTimeout(LONGEST_SILENCE_MS);
      return payload;
    },
    errorHandler: sendDatabaseError,
  });
  await app.ready();
  return server;
}

/** The driver makes an error with these attributes. */
function sendDatabaseError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!(error instanceof DatabaseError)) return sendError(error, request, reply);
  return reply.code(400).send({ ...error, message: error.message });
}

function acceptWebSockets(server: Server, accept: Accept): void {
  const webSockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST });
  server.on('upgrade', (request: IncomingMessage, socket, head) => {
    const [path, query] = (request.url ?? '').split('?');
    if (path !== '/v2') {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    request.socket.setTimeout(0);
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const address = new URLSearchParams(query).get('address') ?? request.headers.host;
      accept(createWebSocketStream(webSocket), { serverName: address?.replace(/:\d*$/, '') });
    });
  });
}
