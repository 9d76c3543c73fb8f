import { STATUS_CODES } from 'node:http';
import { type AxiosError, type AxiosResponse, isAxiosError } from 'axios';
import { retryAfter } from 'axios-retry';
import { z } from 'zod';
import { type FailureMeaning, malformedResponseCode, meaningOfFailure, notSentCode } from './failure-meaning';
import { toPrintable } from './printable';
import type { Redact } from './redaction';

/** What a failed call was, and what came back. */
export interface ControlApiFailure {
  readonly method: string;
  /** The path below the base URL. */
  readonly path: string;
  /** HTTP status; absent when no response came. */
  readonly status?: number | undefined;
  /** The service's own error code, or the code of the network error. */
  readonly code?: string | undefined;
  /** The service's own words, or what happened on the network. */
  readonly reason: string;
  readonly requestId?: string | undefined;
  /** How long the service asks to wait before the next request. */
  readonly retryAfterMs?: number | undefined;
  /** False for a response that lacks the service's own error body: something in front of it answered. @default true */
  readonly isFromService?: boolean | undefined;
}

/**
 * A call to the control API that failed: `PATCH /projects/p/endpoints/ep-1: 423 Locked: … (request id …)`.
 * It never carries the key: neither the request's headers nor the HTTP client's own error are kept, and in the words of
 * the service the key is replaced by `***`.
 */
export class ControlApiError extends Error {
  override readonly name = 'ControlApiError';
  /** Such as `PATCH`. */
  readonly method: string;
  /** Below the base URL, such as `/projects/p/endpoints/ep-1`. */
  readonly path: string;
  /** The HTTP status; absent when no response came. */
  readonly status: number | undefined;
  /** The service's own error code, or the code of the network error. */
  readonly code: string | undefined;
  /** The service's own words, or what happened on the network. */
  readonly reason: string;
  /** What the service's support asks for. */
  readonly requestId: string | undefined;
  /** How long the service asks to wait before the next request, in milliseconds; 0 when it does not say. */
  readonly retryAfterMs: number;
  /** Whether the work may have happened all the same. */
  readonly meaning: FailureMeaning;
  /** Whether the response has the service's own error body; a proxy's page does not. */
  readonly isFromService: boolean;

  /** @internal */
  constructor(failure: ControlApiFailure, options?: ErrorOptions) {
    super(describeFailure(failure), options);
    this.method = failure.method;
    this.path = failure.path;
    this.status = failure.status;
    this.code = failure.code;
    this.reason = failure.reason;
    this.requestId = failure.requestId;
    this.retryAfterMs = failure.retryAfterMs ?? 0;
    this.meaning = meaningOfFailure(failure.status, failure.code);
    this.isFromService = failure.isFromService ?? failure.status !== undefined;
  }

  /** The project has unfinished operations, and the service takes no write until they end. */
  get isLocked(): boolean {
    return this.status === 423;
  }

  /** The service itself says that it does not know what was asked for. A proxy's 404 proves nothing. */
  get isNotFound(): boolean {
    return this.status === 404 && this.isFromService;
  }

  /** What exists is in the way, such as another endpoint of that name. */
  get isConflict(): boolean {
    return this.status === 409;
  }
}

/** Whether the service itself says that it does not know what was asked for. */
export function isNotFound(error: unknown): error is ControlApiError {
  return error instanceof ControlApiError && error.isNotFound;
}

function describeFailure({ method, path, status, code, reason, requestId }: ControlApiFailure): string {
  const isMalformed = code === malformedResponseCode;
  const response =
    status === undefined || isMalformed
      ? 'no usable response'
      : `${status} ${STATUS_CODES[status] ?? ''}`.trim();
  const serviceCode = code && status !== undefined && !isMalformed ? ` [${code}]` : '';
  const what = code === notSentCode ? '' : `${response}${serviceCode}: `;
  const suffix = requestId ? ` (request id ${requestId})` : '';
  return `${method} ${path}: ${what}${reason}${suffix}`;
}

/** The error body of the service (official API description, GeneralError). */
const errorBody = z.looseObject({
  request_id: z.string().optional(),
  code: z.string(),
  message: z.string(),
});

/** Turns whatever the HTTP client threw into a ControlApiError, leaving the request's headers behind. */
export function toControlApiError(error: unknown, method: string, path: string, redact: Redact): Error {
  if (!isAxiosError(error)) return error instanceof Error ? error : new Error(String(error));
  const show = (text: string) => toPrintable(redact(text));
  const { response, code } = error;
  if (!response) {
    const cause = new Error(show(error.message));
    return new ControlApiError({ method, path, code, reason: show(describeNetworkError(error)) }, { cause });
  }
  if (response.status < 300) return malformedResponse(method, path, response, error.message, redact);
  const body = errorBody.safeParse(parseJson(response.data)).data;
  return new ControlApiError({
    method,
    path,
    status: response.status,
    code: body?.code ? show(body.code) : undefined,
    reason: show(body?.message ?? '') || describeForeignResponse(response, show),
    requestId: body?.request_id ? show(body.request_id) : requestIdOf(response, show),
    retryAfterMs: retryAfter(error),
    isFromService: body !== undefined,
  });
}

/** The error for a response of a successful status that can't be understood: the work may have been done. */
export function malformedResponse(
  method: string,
  path: string,
  response: AxiosResponse,
  problem: string | z.ZodError,
  redact: Redact,
): ControlApiError {
  const show = (text: string) => toPrintable(redact(text));
  const reason =
    typeof problem === 'string'
      ? problem
      : `the response is not of the documented shape: ${z.prettifyError(problem).replaceAll(/\s+/g, ' ')}`;
  return new ControlApiError({
    method,
    path,
    status: response.status,
    code: malformedResponseCode,
    reason: show(reason),
    requestId: requestIdOf(response, show),
    isFromService: false,
  });
}

function requestIdOf(response: AxiosResponse, show: (text: string) => string): string | undefined {
  const header: unknown = response.headers['x-request-id'];
  return typeof header === 'string' ? show(header) : undefined;
}

/** Server errors come without a body of the service's now and then; a client error is always explained by it. */
function describeForeignResponse({ status, headers }: AxiosResponse, show: (text: string) => string): string {
  if (status >= 500 || [408, 423, 425, 429].includes(status)) return 'the service gave no reason';
  const contentType: unknown = headers['content-type'];
  const what = typeof contentType === 'string' ? ` (${show(contentType)})` : '';
  return `not the service's own response${what}: is the base URL right, or does a proxy answer in its place?`;
}

/** Parses JSON text; undefined for any other text. */
export function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describeNetworkError(error: AxiosError): string {
  if (error.code === 'ECONNABORTED' || error.code === 'ETIMEDOUT') return 'no response within the time-out';
  if (error.code === 'ECONNREFUSED') return 'connection refused';
  if (error.code === 'ECONNRESET') return 'the connection was closed before a response came';
  if (error.code === 'ENOTFOUND') return 'the host name of the base URL is unknown';
  if (error.code && /CERT|UNABLE_TO_VERIFY/.test(error.code))
    return `the certificate of the base URL is not trusted (${error.message}); NODE_EXTRA_CA_CERTS names a file of further authorities`;
  return error.message;
}
