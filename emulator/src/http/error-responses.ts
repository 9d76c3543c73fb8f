import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, badRequest, notImplemented } from '../records/api-error';
import { reasonOf } from '../records/thrown-reason';
import type { ErrorBody } from '../records/wire-types';
import { apiPathOf } from './api-path';
import { isRefused } from './refused-calls';

/** The API's errors for requests that Fastify rejects before they reach a route. */
const FRAMEWORK_ERRORS: Readonly<Record<number, { code: string; message: string }>> = {
  413: { code: 'BODY_TOO_LARGE', message: 'the request body is larger than 1 MiB' },
  414: { code: 'URI_TOO_LONG', message: 'a path segment is too long for an id' },
  415: { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'send the request body as application/json' },
};

/** The API's errors for requests that Node rejects. Any other error means that the request is not HTTP (400). */
const MALFORMED_REQUESTS: Readonly<Record<string, ApiError>> = {
  HPE_HEADER_OVERFLOW: new ApiError(431, 'HEADERS_TOO_LARGE', 'the request headers are too large'),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError(408, 'REQUEST_TIMEOUT', 'the request took too long to arrive'),
};

export function errorBody(request: Pick<FastifyRequest, 'id'>, code: string, message: string): ErrorBody {
  return { request_id: request.id, code, message };
}

/** Gives every error response the body `{request_id, code, message}`. */
export function addErrorResponses(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const call = `${request.method} ${request.url}`;
    const error = isRefused(apiPathOf(request) ?? '')
      ? notImplemented(call)
      : new ApiError(404, 'ROUTE_NOT_FOUND', `${call}: this route does not exist`);
    return sendError(error, request, reply);
  });
}

/** Responds to an error in a route, or to one that Fastify finds before it has a route, such as an invalid URL. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.header('x-request-id', request.id).send(describeError(error, request, reply));
}

/** Sets the status of the error response and returns its body. */
export function describeError(error: unknown, request: FastifyRequest, reply: FastifyReply): ErrorBody {
  const { status, code, message } = describe(error, request);
  reply.code(status).type('application/json; charset=utf-8');
  return errorBody(request, code, message);
}

/** Responds to data that Node cannot parse as HTTP: there is no request object, only a socket. */
export function sendMalformedRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code, message } =
    MALFORMED_REQUESTS[error.code ?? ''] ?? badRequest(`the request is not HTTP: ${error.message}`);
  const id = randomUUID();
  const body = JSON.stringify(errorBody({ id }, code, message));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-ID: ${id}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function describe(error: unknown, { method, url }: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  const message = reasonOf(error);
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') {
    const known = FRAMEWORK_ERRORS[error.statusCode] ?? { code: 'BAD_REQUEST', message };
    return new ApiError(error.statusCode, known.code, `${method} ${url}: ${known.message}`);
  }
  return new ApiError(500, 'INTERNAL', `the emulator failed: ${message}`);
}
