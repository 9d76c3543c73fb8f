import { createServer, type IncomingMessage, type Server } from 'node:http';
import Fastify from 'fastify';
import { DatabaseError } from 'pg';
import { createWebSocketStream, WebSocketServer } from 'ws';
import type { Accept } from '../gateway/client-connection';
import { addErrorResponses } from '../http/error-responses';
import { runQueries } from './run-queries';

/** As in the service. */
const LARGEST_BODY = 10 * 1024 * 1024;
/** Between two requests, or two parts of one. */
const LONGEST_SILENCE_MS = 60_000;
/** Any page may ask: it needs a password anyway. */
const CROSS_ORIGIN = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };

/**
 * What the service's own driver for functions and edge runtimes uses: queries over HTTP at `/sql`, and the protocol of
 * Postgres over a WebSocket at `/v2`. It listens nowhere: the gateway hands over the connections that begin with HTTP.
 */
export async function createDriverServer(accept: Accept): Promise<Server> {
  const server = createServer();
  server.timeout = LONGEST_SILENCE_MS;
  acceptWebSockets(server, accept);
  const app = Fastify({
    serverFactory: (handler) => server.on('request', handler),
    bodyLimit: LARGEST_BODY,
    exposeHeadRoutes: false,
  });
  addErrorResponses(app);
  // The driver sends its JSON as text.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, app.getDefaultJsonParser('error', 'error'));
  app.addHook('onRequest', async (_request, reply) => void reply.headers(CROSS_ORIGIN));
  app.options('/sql', (_request, reply) => reply.code(204).send());
  app.post('/sql', async ({ headers, body, socket }, reply) => {
    socket.setTimeout(0);
    try {
      return await runQueries(headers, body, socket);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      // The driver makes an error with these attributes.
      return reply.code(400).send({ ...error, message: error.message });
    } finally {
      socket.setTimeout(LONGEST_SILENCE_MS);
    }
  });
  await app.ready();
  return server;
}

function acceptWebSockets(server: Server, accept: Accept): void {
  const webSockets = new WebSocketServer({ noServer: true });
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
