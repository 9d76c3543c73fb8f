import { createServer, type IncomingMessage, type Server } from 'node:http';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { DatabaseError } from 'pg';
import { createWebSocketStream, WebSocketServer } from 'ws';
import type { Accept } from '../gateway/client-connection';
import { Turns } from '../gateway/turns';
import { addErrorResponses, sendError } from '../http/error-responses';
import { badRequest } from '../records/api-error';
import { runQueries } from './run-queries';
import { LARGEST, openSession, SMALL, type SqlSession } from './sql-session';

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
  const sessions = new WeakMap<FastifyRequest, SqlSession>();
  const largeRequests = new Turns();
  app.post('/sql', {
    // The body is read only after the login, so that others cannot fill the memory.
    onRequest: async (request, reply) => {
      request.socket.setTimeout(0);
      const session = await openSession(request.raw, reply.raw, accept, largeRequests);
      sessions.set(request, session);
      const isSmall = Number(request.headers['content-length']) <= SMALL;
      if (!isSmall) await session.waitForTurn();
    },
    handler: (request, reply) => {
      const session = sessions.get(request);
      if (session === undefined) throw new Error('a request without a session');
      reply.type('application/json; charset=utf-8');
      return runQueries(session.client, request.headers, request.body);
    },
    onSend: async (request, _reply, payload) => {
      await sessions.get(request)?.client.end();
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
  // The library turns values into text by recursion. The framework's own errors of this type have a status.
  if (error instanceof RangeError && !('statusCode' in error))
    return sendError(badRequest('a value is nested too deeply'), request, reply);
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
      const stream = createWebSocketStream(webSocket);
      let received = 0;
      const limit = ({ length }: Buffer): void => {
        received += length;
        if (received > SMALL) webSocket.terminate();
      };
      socket.on('data', limit);
      // The stream gets only whole messages, so its own limit does not keep others from filling the memory.
      const tunnel = { serverName: address?.replace(/:\d*$/, ''), socket };
      void accept(stream, tunnel).then(() => socket.off('data', limit));
    });
  });
}
