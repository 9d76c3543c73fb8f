import { STATUS_CODES } from 'node:http';
import { type AxiosError, type AxiosResponse, type InternalAxiosRequestConfig, isAxiosError } from 'axios';
import { retryAfter } from 'axios-retry';
import { z } from 'zod';
import { type FailureMeaning, malformedAnswerCode, meaningOfFailure } from './failure-meaning';

/** What a failed call was, and what came back. */
export interface ControlApiFailure {
  readonly method: string;
  /** The path below the base URL. */
  readonly path: string;
  /** HTTP status; absent when no answer came. */
  readonly status?: number | undefined;
  /** The service's own error code, or the code of the network error. */
  readonly code?: string | undefined;
  /** The service's own words, or what happened on the network. */
  readonly reason: string;
  readonly requestId?: string | undefined;
  /** How long the service asks to wait before the next request. */
  readonly retryAfterMs?: number | undefined;
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
  /** The HTTP status; absent when no answer came. */
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
  }

  /** The project has unfinished operations, and the service takes no write meanwhile. */
  get isLocked(): boolean {
    return this.status === 423;
  }

  /** The service does not know what was asked for. */
  get isNotFound(): boolean {
    return this.status === 404;
  }

  /** What exists is in the way, such as another endpoint of that name. */
  get isConflict(): boolean {
    return this.status === 409;
  }
}

function describeFailure({ method, path, status, code, reason, requestId }: ControlApiFailure): string {
  const isMalformed = code === malformedAnswerCode;
  const answer =
    status === undefined || isMalformed
      ? 'no usable answer'
      : `${status} ${STATUS_CODES[status] ?? ''}`.trim();
  const serviceCode = code && status !== undefined && !isMalformed ? ` [${code}]` : '';
  const suffix = requestId ? ` (request id ${requestId})` : '';
  return `${method} ${path}: ${answer}${serviceCode}: ${reason}${suffix}`;
}

const errorBody = z.looseObject({
  request_id: z.string().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
});

/** Turns whatever the HTTP client threw into a ControlApiError, leaving the request's headers behind. */
export function toControlApiError(error: unknown, method: string, path: string): Error {
  if (!isAxiosError(error)) return error instanceof Error ? error : new Error(String(error));
  const { response, code, config } = error;
  if (!response) {
    const cause = new Error(conceal(error.message, config));
    return new ControlApiError({ method, path, code, reason: describeNetworkError(error) }, { cause });
  }
  if (code === malformedAnswerCode) return malformedAnswer(method, path, response, error.message);
  const body = errorBody.safeParse(parseJson(response.data)).data;
  return new ControlApiError({
    method,
    path,
    status: response.status,
    code: conceal(body?.code, config) || undefined,
    reason: conceal(body?.message, config) || 'the service gave no reason',
    requestId: conceal(body?.request_id, config) || requestIdOf(response),
    retryAfterMs: retryAfter(error),
  });
}

/** The error for an answer of a successful status that can't be understood: the work may have been done. */
export function malformedAnswer(
  method: string,
  path: string,
  response: AxiosResponse,
  problem: string | z.ZodError,
): ControlApiError {
  const reason =
    typeof problem === 'string'
      ? problem
      : `the answer is not of the documented shape: ${z.prettifyError(problem).replaceAll(/\s+/g, ' ')}`;
  const { status } = response;
  return new ControlApiError({
    method,
    path,
    status,
    code: malformedAnswerCode,
    reason: conceal(reason, response.config),
    requestId: requestIdOf(response),
  });
}

function requestIdOf(response: AxiosResponse): string | undefined {
  const header: unknown = response.headers['x-request-id'];
  return typeof header === 'string' ? conceal(header, response.config) : undefined;
}

/** Takes the key out of what others have written: a service, or what stands before it, may repeat what it was sent. */
function conceal<Text extends string | undefined>(
  text: Text,
  config: InternalAxiosRequestConfig | undefined,
): Text | string {
  const key = String(config?.headers.get('Authorization') ?? '').replace(/^Bearer /, '');
  return text && key ? text.replaceAll(key, '***') : text;
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
  if (error.code === 'ECONNABORTED' || error.code === 'ETIMEDOUT') return 'no answer within the time-out';
  if (error.code === 'ECONNREFUSED') return 'connection refused';
  if (error.code === 'ECONNRESET') return 'the connection was closed before an answer came';
  if (error.code === 'ENOTFOUND') return 'the host name of the base URL is unknown';
  if (error.code && /CERT|UNABLE_TO_VERIFY/.test(error.code))
    return `the certificate of the base URL is not trusted (${error.message}); NODE_EXTRA_CA_CERTS names a file of further authorities`;
  return conceal(error.message, error.config);
}
