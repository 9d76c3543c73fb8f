import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { DatabaseError } from 'pg';
import { createWebSocketStream, WebSocketServer } from 'ws';
import type { Accept } from '../gateway/client-connection';
import { ApiError } from '../records/api-error';
import { reasonOf } from '../records/thrown-reason';
import { runQueries } from './run-queries';

/** As in the service. */
const LARGEST_BODY = 10 * 1024 * 1024;
/** Between two requests, or two parts of one. */
const LONGEST_SILENCE_MS = 60_000;
const CROSS_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': '*',
};

/**
 * What the service's own driver for functions and edge runtimes uses: queries over HTTP at `/sql`, and the protocol of
 * Postgres over a WebSocket at `/v2`. It listens nowhere: the gateway hands over the connections that begin with HTTP.
 */
export function createDriverServer(accept: Accept): Server {
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.timeout = LONGEST_SILENCE_MS;
  const webSockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const { pathname, searchParams } = urlOf(request);
    if (pathname !== '/v2') {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    request.socket.setTimeout(0);
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const address = searchParams.get('address') ?? request.headers.host;
      accept(createWebSocketStream(webSocket), { serverName: address?.replace(/:\d*$/, '') });
    });
  });
  return server;
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, body } = await answer(request).catch(describe);
  request.socket.setTimeout(LONGEST_SILENCE_MS);
  response.writeHead(status, { ...CROSS_ORIGIN, 'content-type': 'application/json' });
  response.end(body && JSON.stringify(body));
}

async function answer(request: IncomingMessage): Promise<{ status: number; body?: object }> {
  const { pathname } = urlOf(request);
  if (pathname !== '/sql')
    throw new ApiError(
      404,
      'NOT_FOUND',
      `${pathname}: this port serves Postgres, POST /sql and the WebSocket /v2`,
    );
  if (request.method === 'OPTIONS') return { status: 204 };
  if (request.method !== 'POST') throw new ApiError(405, 'METHOD_NOT_ALLOWED', 'send a POST');
  const text = await readBody(request);
  request.socket.setTimeout(0);
  return { status: 200, body: await runQueries(request.headers, parseJson(text), request.socket) };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  // To its end: a client that is still writing would not read the response.
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= LARGEST_BODY) chunks.push(chunk);
  }
  if (length > LARGEST_BODY) {
    throw new ApiError(413, 'BODY_TOO_LARGE', 'the request body is larger than 10 MiB');
  }
  return Buffer.concat(chunks).toString();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ApiError(400, 'BAD_REQUEST', `the body is not valid JSON: ${reasonOf(error)}`);
  }
}

/** The driver makes an error with these attributes of a 400. */
function describe(error: unknown): { status: number; body: object } {
  if (error instanceof DatabaseError) return { status: 400, body: { ...error, message: error.message } };
  if (error instanceof ApiError)
    return { status: error.status, body: { message: error.message, code: error.code } };
  return { status: 500, body: { message: reasonOf(error) } };
}

const urlOf = ({ url }: IncomingMessage): URL => new URL(`http://localhost${url}`);
