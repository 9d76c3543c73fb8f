import { STATUS_CODES } from 'node:http';
import { type AxiosError, type AxiosResponse, isAxiosError } from 'axios';
import { retryAfter } from 'axios-retry';
import type { ConnectionSettings } from '../config/connection-settings';
import { describeSeconds } from './deadline';
import {
  elsewhereCode,
  type FailureMeaning,
  interruptedCode,
  malformedResponseCode,
  meaningOfFailure,
  notSentCode,
} from './failure-meaning';
import { toPrintable } from './printable';
import { type Redact, redactPasswords } from './redaction';
import { describeForeign, readOwnResponse, type ServiceContact } from './service-contact';

/** The fields of a new ControlApiError. @internal */
type ControlApiFailure = Pick<ControlApiError, 'method' | 'path' | 'reason'> &
  Partial<Pick<ControlApiError, 'status' | 'code' | 'requestId' | 'retryAfterMs' | 'isFromService'>> &
  Partial<Omit<ErrorContext, 'redact'>>;

/** What all errors of one client depend on. @internal */
export interface ErrorContext extends Pick<ConnectionSettings, 'sources' | 'lacksVersion'> {
  readonly redact: Redact;
  readonly contact?: Pick<ServiceContact, 'meaningOf'>;
}

/**
 * A failed call to the control API: `PATCH /projects/p/endpoints/ep-1: 423 Locked: … (request id …)`.
 * It never holds the key: it keeps neither the request's headers nor the HTTP client's error, and replaces the key by
 * `***` in the service's text.
 */
export class ControlApiError extends Error {
  override readonly name = 'ControlApiError';
  /** Such as `PATCH`. */
  readonly method: string;
  /** The path below the base URL, such as `/projects/p/endpoints/ep-1`. */
  readonly path: string;
  /** The HTTP status; undefined if no response arrived. */
  readonly status: number | undefined;
  /** The service's own error code, or the code of the network error. */
  readonly code: string | undefined;
  /** The service's error message, or a description of the network error. */
  readonly reason: string;
  /** Identifies the request to the service's support. */
  readonly requestId: string | undefined;
  /** How long the service asks the client to wait before the next request, in milliseconds; 0 if it does not say. */
  readonly retryAfterMs: number;
  /** Whether the service may have done the work despite the failure. */
  readonly meaning: FailureMeaning;
  /** Whether the response has the service's own error body; a response from a proxy does not. */
  readonly isFromService: boolean;
  /** Whether the service, or what answers in its place, would refuse the same request again. */
  readonly isFinal: boolean;
  /** Whether the base URL lacks the version, which then explains a 404. @internal */
  readonly lacksVersion: boolean;

  /** @internal */
  constructor(failure: ControlApiFailure, options?: { readonly cause?: unknown }) {
    super(describeFailure(failure), options);
    this.method = failure.method;
    this.path = failure.path;
    this.status = failure.status;
    this.code = failure.code;
    this.reason = failure.reason;
    this.requestId = failure.requestId;
    this.retryAfterMs = failure.retryAfterMs ?? 0;
    this.lacksVersion = failure.lacksVersion === true;
    this.isFromService = failure.isFromService ?? failure.status !== undefined;
    this.meaning =
      failure.contact?.meaningOf(this.status, this.code, this.isFromService) ??
      meaningOfFailure(this.status, this.code);
    this.isFinal = this.meaning === 'refused' || this.code === elsewhereCode;
  }

  /** Whether unfinished operations lock the project. The service refuses writes until they finish. */
  get isLocked(): boolean {
    return this.status === 423;
  }

  /** Whether the service itself returned 404. A 404 from a proxy proves nothing. */
  get isNotFound(): boolean {
    return this.status === 404 && this.isFromService;
  }

  /** Whether the service itself reports a conflict with something that exists, such as an endpoint with the same name. */
  get isConflict(): boolean {
    return this.status === 409 && this.isFromService;
  }
}

/** Whether the service itself answered with this status. From a proxy, it proves nothing. */
export function isAnswered(error: unknown, status: number): error is ControlApiError {
  return error instanceof ControlApiError && error.status === status && error.isFromService;
}

export function isConflict(error: unknown): error is ControlApiError {
  return error instanceof ControlApiError && error.isConflict;
}

export function isNotFound(error: unknown): error is ControlApiError {
  return error instanceof ControlApiError && error.isNotFound;
}

/** The failed call behind an error, if the service, or what answers in its place, would refuse it again. */
export function findRefusal(error: unknown): ControlApiError | undefined {
  if (error instanceof ControlApiError) return error.isFinal ? error : undefined;
  return error instanceof Error ? findRefusal(error.cause) : undefined;
}

/** Whether the response is not the service's own, so that a proxy may have passed the request on. */
export function isFromProxy(error: unknown): boolean {
  return error instanceof ControlApiError && error.status !== undefined && !error.isFromService;
}

function describeFailure(failure: ControlApiFailure): string {
  const { method, path, status, code, reason, requestId, retryAfterMs } = failure;
  const isMalformed = code === malformedResponseCode || code === elsewhereCode;
  const response =
    status === undefined || isMalformed
      ? 'no usable response'
      : `${status} ${STATUS_CODES[status] ?? ''}`.trim();
  const serviceCode = code && status !== undefined && !isMalformed ? ` [${code}]` : '';
  const what = code === notSentCode || code === interruptedCode ? '' : `${response}${serviceCode}: `;
  const retryHint = retryAfterMs ? `; retry after ${describeSeconds(retryAfterMs)}` : '';
  const suffix = requestId ? ` (request id ${requestId})` : '';
  const sentence = `${method} ${path}: ${what}${reason}${retryHint}${suffix}`;
  const advice = adviseOn(failure);
  return advice ? addSentence(sentence, advice) : sentence;
}

/** A text that may already end as a sentence, and one more. */
export function addSentence(text: string, sentence: string): string {
  return `${text}${/[.?]$/.test(text) ? '' : '.'} ${sentence}`;
}

/** The setting on which the failure depends. */
function adviseOn(failure: ControlApiFailure): string {
  const { status, code = '', isFromService, sources, lacksVersion } = failure;
  if (!sources) return '';
  if (status === 401) return `Is the key in ${sources.apiKey} valid?`;
  if (status === 403) return `May the key in ${sources.apiKey} do this?`;
  const isElsewhere =
    code === elsewhereCode || (!isFromService && meaningOfFailure(status, code) === 'refused');
  const isUnreachable = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(code);
  if (!isElsewhere && !isUnreachable && !(status === 404 && lacksVersion)) return '';
  return `The base URL is set in ${sources.baseUrl}${lacksVersion ? ', and lacks /v2 at its end' : ''}.`;
}

/** Makes a function that redacts and escapes the service's text. */
const makeShown = (redact: Redact) => (text: string) => toPrintable(redactPasswords(redact(text)));

/** Converts what the HTTP client threw into a ControlApiError, without the request's headers. @internal */
export function toControlApiError(
  error: unknown,
  method: string,
  path: string,
  context: ErrorContext,
): Error {
  if (!isAxiosError(error)) return toError(error);
  const { redact, ...rest } = context;
  const show = makeShown(redact);
  const { response, code } = error;
  if (!response) {
    const cause = new Error(show(error.message));
    const reason = show(describeNetworkError(error));
    return new ControlApiError({ ...rest, method, path, code, reason }, { cause });
  }
  if (response.status < 300) return malformedResponse(method, path, error, response, context);
  const body = readOwnResponse(response)?.error;
  return new ControlApiError({
    ...rest,
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

/** The error for a successful response that the provider can't read. The service may have done the work. @internal */
export function malformedResponse(
  method: string,
  path: string,
  { code, message }: Pick<AxiosError, 'code' | 'message'>,
  response: AxiosResponse,
  { redact, ...rest }: ErrorContext,
): ControlApiError {
  const show = makeShown(redact);
  return new ControlApiError({
    ...rest,
    method,
    path,
    status: response.status,
    code: code === elsewhereCode ? code : malformedResponseCode,
    reason: show(message),
    requestId: requestIdOf(response, show),
    isFromService: false,
  });
}

function requestIdOf(response: AxiosResponse, show: (text: string) => string): string | undefined {
  const header: unknown = response.headers['x-request-id'];
  return typeof header === 'string' ? show(header) : undefined;
}

/** The service sends some server errors without its error body, but never a client error: a proxy sent that one. */
function describeForeignResponse(response: AxiosResponse, show: (text: string) => string): string {
  const { status } = response;
  if (status >= 500 || [408, 423, 425, 429].includes(status)) return 'the service gave no reason';
  return show(describeForeign(response));
}

function describeNetworkError(error: AxiosError): string {
  if (error.code === 'ECONNABORTED' || error.code === 'ETIMEDOUT') return 'no response within the time-out';
  if (error.code === 'ERR_CANCELED') return 'interrupted before a response arrived';
  if (error.code === 'ECONNREFUSED') return 'connection refused';
  if (error.code === 'ECONNRESET') return 'the connection was closed before a response arrived';
  if (error.code === 'ENOTFOUND') return 'the host name of the base URL is unknown';
  if (error.code && /CERT|UNABLE_TO_VERIFY/.test(error.code))
    return `the certificate of the base URL is not trusted (${error.message}); to add a certificate authority, set NODE_EXTRA_CA_CERTS to its file`;
  return error.message;
}

/** The thrown value as an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** The message of an error; any other thrown value as text. */
export function messageOf(thrown: unknown): string {
  return toError(thrown).message;
}
