import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { DatabaseError } from 'pg';
import { createWebSocketStream, WebSocketServer } from 'ws';
import type { Accept } from '../gateway/client-connection';
import { Turns } from '../gateway/turns';
import { noRoute, sendError } from '../http/error-responses';
import { ApiError, badRequest } from '../records/api-error';
import { runQueries } from './run-queries';
import { LARGEST, openSession, SMALL, type SqlSession } from './sql-session';

/** Between two requests, or two parts of one. */
const LONGEST_SILENCE_MS = 60_000;
/** Of a body. Each one costs time in one turn of the event loop, and a query takes as many parameters. */
const MOST_VALUES = 65_535;
/** Any page may ask: it needs a password anyway. */
const CROSS_ORIGIN = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };

/**
 * What the service's own driver for functions and edge runtimes uses: queries over HTTP at `/sql`, and the protocol of
 * Postgres over a WebSocket at `/v2`. It listens nowhere: the gateway hands over the connections that begin with HTTP.
 * @param headersTimeout how many milliseconds a client may take for the headers of a request, and between two parts of its body
 */
export async function createDriverServer(accept: Accept, headersTimeout: number): Promise<Server> {
  const server = createServer({ headersTimeout, connectionsCheckingInterval: headersTimeout / 10 });
  server.timeout = LONGEST_SILENCE_MS;
  // Node applies its limits of a request only to a server that listens.
  server.emit('listening');
  acceptWebSockets(server, accept);
  const app = Fastify({
    serverFactory: (handler) => oneAtATime(server, handler),
    exposeHeadRoutes: false,
  });
  app.setErrorHandler(sendDatabaseError);
  // The driver sends its JSON as text.
  app.removeAllContentTypeParsers();
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('*', { parseAs: 'string' }, (request, body, done) => {
    if (!hasTooManyValues(body)) return parseJson(request, body, done);
    done(new ApiError(413, 'BODY_TOO_LARGE', `the body has more than ${MOST_VALUES} values`));
  });
  const sessions = new WeakMap<FastifyRequest, SqlSession>();
  const largeRequests = new Turns();
  // A body is read only after the login, so that others cannot fill the memory.
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(CROSS_ORIGIN);
    if (request.method === 'OPTIONS') return reply.code(204).send();
    if (request.is404) throw noRoute(request);
    request.socket.setTimeout(0);
    const session = await openSession(request.raw, reply.raw, accept, largeRequests);
    sessions.set(request, session);
    const isSmall = Number(request.headers['content-length']) <= SMALL;
    if (!isSmall) await session.waitForTurn();
    // A body that does not come would hold the turn.
    request.socket.setTimeout(headersTimeout);
  });
  app.addHook('preHandler', async ({ socket }) => void socket.setTimeout(0));
  app.addHook('onSend', async (request, _reply, payload) => {
    await sessions.get(request)?.client.end();
    request.socket.setTimeout(LONGEST_SILENCE_MS);
    return payload;
  });
  app.post('/sql', (request, reply) => {
    const session = sessions.get(request);
    if (session === undefined) throw new Error('a request without a session');
    reply.type('application/json; charset=utf-8');
    return runQueries(session, request.headers, request.body);
  });
  await app.ready();
  return server;
}

/**
 * Node hands over each request of a pipeline at once, and each begins a login: one connection would be thousands of
 * clients. No browser or `fetch` sends a request before the last response, so a connection that does is closed.
 */
function oneAtATime(server: Server, handler: (request: IncomingMessage, response: ServerResponse) => void) {
  const busy = new WeakSet<IncomingMessage['socket']>();
  return server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (busy.has(socket)) return void socket.destroy();
    busy.add(socket);
    response.once('close', () => busy.delete(socket));
    handler(request, response);
  });
}

/** Counts before anything is parsed: commas, lists and objects outside strings. */
function hasTooManyValues(json: string): boolean {
  let [values, isInString] = [0, false];
  for (let index = 0; index < json.length; index += 1) {
    const character = json.charAt(index);
    if (character === '\\') index += 1;
    else if (character === '"') isInString = !isInString;
    else if (!isInString && ',[{'.includes(character)) values += 1;
  }
  return values > MOST_VALUES;
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
