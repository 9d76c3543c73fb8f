import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import axios, {
  type AxiosAdapter,
  AxiosError,
  type AxiosInstance,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios';
import { retryAfter } from 'axios-retry';
import type { z } from 'zod';
import { malformedResponse, parseJson, toControlApiError } from './control-api-error';
import { Deadline } from './deadline';
import { malformedResponseCode, notSentCode } from './failure-meaning';
import { isLoopback } from './loopback';
import { defaultRequestLimits, NotSentError, RateLimiter } from './rate-limiter';
import { makeRedactor, type Redact } from './redaction';
import { defaultRetryPacing, installRetry, type RequestContext, type RetryPacing } from './retry';

export interface HttpClientOptions {
  /** Ends in the version segment: `https://host/api/v2`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** How long one request may take. Milliseconds. @default 30000 */
  readonly requestTimeoutMs?: number | undefined;
  readonly retryPacing?: RetryPacing | undefined;
  /** @default 700 requests a minute */
  readonly requestsPerMinute?: number | undefined;
}

/** How long a call may take, and what becomes of it when it fails. */
export interface CallOptions {
  /** Bounds waiting, sending and retries. @default 60 s */
  readonly deadline?: Deadline | undefined;
  /** A failed request is left to the caller, who calls again anyway. @default false */
  readonly isSentOnce?: boolean;
  /** Called when the request goes out: it may wait for the rate limiter before. */
  readonly onSend?: () => void;
}

interface RequestParts extends CallOptions {
  readonly body?: object;
  readonly query?: object;
}

/** How long a call without a deadline of its own is tried. */
const defaultPatienceMs = 60_000;
const maxResponseBytes = 64 * 1024 * 1024;

/** Sends requests to the control API. Every one rejects with a ControlApiError. */
export class HttpClient {
  readonly retryPacing: RetryPacing;
  /** Takes the key out of a text that is about to be shown. */
  readonly redact: Redact;
  readonly #http: AxiosInstance;

  constructor(options: HttpClientOptions) {
    this.retryPacing = options.retryPacing ?? defaultRetryPacing;
    const { requestsPerMinute = defaultRequestLimits.perMinute } = options;
    const limiter = new RateLimiter({ ...defaultRequestLimits, perMinute: requestsPerMinute });
    this.redact = makeRedactor([options.apiKey]);
    this.#http = axios.create({
      baseURL: options.baseUrl.replace(/\/+$/, ''),
      timeout: options.requestTimeoutMs ?? 30_000,
      headers: { Authorization: `Bearer ${options.apiKey}`, Accept: 'application/json' },
      adapter: sendWithin(limiter),
      // The key goes to the base URL and nowhere else.
      maxRedirects: 0,
      maxContentLength: maxResponseBytes,
      // Parsed below, so that a response that is no JSON is told apart from a failed request.
      responseType: 'text',
      transformResponse: (data: unknown) => data,
      // What never leaves this machine needs no proxy, and no proxy needs its key.
      ...(isLoopback(new URL(options.baseUrl)) && { proxy: false }),
      httpAgent: new HttpAgent({ keepAlive: true }),
      httpsAgent: new HttpsAgent({ keepAlive: true, rejectUnauthorized: true }),
      transitional: { clarifyTimeoutError: true },
    });
    // Before the retries, which treat a response that is no JSON like one that got lost.
    this.#http.interceptors.response.use(requireJson);
    installRetry(this.#http, this.retryPacing);
  }

  async call<Shape extends z.ZodType>(
    method: string,
    url: string,
    shape: Shape,
    {
      body,
      query,
      onSend,
      isSentOnce = false,
      deadline = new Deadline(defaultPatienceMs),
    }: RequestParts = {},
  ): Promise<z.output<Shape>> {
    const context: RequestContext = { deadline, isSentOnce, onSend };
    const request = {
      method,
      url,
      context,
      // False keeps the HTTP client from naming a type of its own for a body that is not there.
      headers: { 'Content-Type': body ? 'application/json' : false },
      ...(body && { data: body }),
      ...(query && { params: query }),
    };
    const response = await this.#http.request(request).catch((error: unknown) => {
      throw toControlApiError(error, method, url, this.redact);
    });
    const result = shape.safeParse(response.data);
    if (result.success) return result.data;
    throw malformedResponse(method, url, response, result.error, this.redact);
  }
}

/** Every request, also one that is sent again, waits for the rate limiter; a 429 makes all of them wait. */
function sendWithin(limiter: RateLimiter): AxiosAdapter {
  const send = axios.getAdapter('http');
  return async (config) => {
    const method = (config.method ?? 'get').toUpperCase();
    const { deadline, onSend } = config.context ?? {};
    const route = `${method} ${routeOf(config.url ?? '')}`;
    try {
      return await limiter.send({ route, isWrite: method !== 'GET', deadline }, () => {
        onSend?.();
        return send({ ...config, timeout: timeoutOf(config) }).catch((error: AxiosError) => {
          if (error.response?.status === 429) limiter.pause(retryAfter(error));
          throw error;
        });
      });
    } catch (error) {
      if (error instanceof NotSentError) throw new AxiosError(error.message, notSentCode, config);
      throw error;
    }
  };
}

/** A request ends with the deadline of its call, at the latest after its own time-out; 0 would be without an end. */
function timeoutOf({ timeout = 0, context }: InternalAxiosRequestConfig): number {
  return Math.max(1, Math.min(timeout, context?.deadline.remainingMs ?? timeout));
}

/** The path without its ids, which are every second part of it. */
function routeOf(url: string): string {
  const isId = (index: number) => index > 0 && index % 2 === 0;
  return url
    .split('/')
    .map((part, index) => (isId(index) ? '{id}' : part))
    .join('/');
}

/** Parses the response; one that is no JSON counts as a failed request. A 204 has no body. */
function requireJson(response: AxiosResponse): AxiosResponse {
  const data = parseJson(response.data);
  if (response.status === 204 || data !== undefined) return { ...response, data };
  throw new AxiosError(
    'the response is not JSON',
    malformedResponseCode,
    response.config,
    response.request,
    response,
  );
}

/**
 * A path with each id encoded, so that no id can lead to another resource.
 * @throws Error for an id that is no name but a step in the path
 */
export function path(literals: TemplateStringsArray, ...ids: string[]): string {
  const step = ids.find((id) => ['', '.', '..'].includes(id));
  if (step !== undefined) throw new Error(`"${step}" is not an id of the service.`);
  return String.raw({ raw: literals.raw }, ...ids.map(encodeURIComponent));
}
