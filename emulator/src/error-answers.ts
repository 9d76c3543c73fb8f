import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './api-error';
import type { ErrorBody } from './wire';

export function errorBody(request: FastifyRequest, code: string, message: string): ErrorBody {
  return { request_id: request.id, code, message };
}

/** Answers every refusal with `{request_id, code, message}`. */
export function addErrorAnswers(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    answerError(
      new ApiError(404, 'ROUTE_NOT_FOUND', `${request.method} ${request.url}: no such call`),
      request,
      reply,
    ),
  );
}

/** For errors inside a request and for those that Fastify finds before it has a route, such as a bad URL. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, code, message } = describe(error);
  return reply
    .code(status)
    .header('x-request-id', request.id)
    .send(errorBody(request, code, message));
}

function describe(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : 'BAD_REQUEST';
    return { status: error.statusCode, code, message };
  }
  return { status: 500, code: 'INTERNAL', message: `the emulator failed: ${message}` };
}
