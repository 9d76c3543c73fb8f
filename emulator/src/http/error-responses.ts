import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, notImplemented } from '../records/api-error';
import { reasonOf } from '../records/thrown-reason';
import { apiPathOf } from './api-path';

/** The API's errors for requests that Fastify rejects before they reach a route. */
const FRAMEWORK_ERRORS: Readonly<Record<number, { code: string; message: string }>> = {
  413: { code: 'BODY_TOO_LARGE', message: 'the request body is larger than 1 MiB' },
  414: { code: 'URI_TOO_LONG', message: 'a path segment is too long for an id' },
  415: { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'send the request body as application/json' },
};

export function errorBody(request: FastifyRequest, code: string, message: string) {
  return { request_id: request.id, code, message };
}

/** Gives every error response the body `{request_id, code, message}`. Every call of the API that is not served is a 501. */
export function addErrorResponses(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const isOfApi = apiPathOf(request) !== undefined;
    const error = isOfApi ? notImplemented(`${request.method} ${request.url}`) : noRoute(request);
    return sendError(error, request, reply);
  });
}

export const noRoute = ({ method, url }: FastifyRequest) =>
  new ApiError(404, 'ROUTE_NOT_FOUND', `${method} ${url}: this route does not exist`);

/** Responds to an error in a route, or to one that Fastify finds before it has a route, such as an invalid URL. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.header('x-request-id', request.id).send(describeError(error, request, reply));
}

/** Sets the status of the error response and returns its body. */
export function describeError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { status, code, message } = describe(error, request);
  reply.code(status).type('application/json; charset=utf-8');
  return errorBody(request, code, message);
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
