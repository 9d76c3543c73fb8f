import type { Operation } from './wire-types';

/** An error response: its HTTP status, a code for programs and a message for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BAD_REQUEST', message);
}

/** The API describes it, but the emulator would have to say yes and do nothing. */
export function notImplemented(what: string): ApiError {
  return new ApiError(501, 'NOT_IMPLEMENTED', `the emulator does not implement ${what}`);
}

export function notFound(what: string, id: string): ApiError {
  return new ApiError(404, 'NOT_FOUND', `${what} ${id} does not exist`);
}

export function found<Value>(value: Value | undefined, what: string, id: string): Value {
  if (value === undefined) throw notFound(what, id);
  return value;
}

export function conflict(code: string, message: string): ApiError {
  return new ApiError(409, code, message);
}

/** The request is well-formed, but a rule of the service forbids it. */
export function unprocessable(code: string, message: string): ApiError {
  return new ApiError(422, code, message);
}

export function locked(projectId: string, blocking: Operation): ApiError {
  const reason = `${blocking.action} ${blocking.id} is ${blocking.status}`;
  return new ApiError(
    423,
    'LOCKED',
    `project ${projectId} is locked: ${reason}; retry after that operation has ended`,
  );
}
