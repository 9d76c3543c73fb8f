import { setMaxListeners } from 'node:events';
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
import { inRange } from 'lodash';
import * as z from 'zod';
import { type ConnectionSettings, isLoopback } from '../config/connection-settings';
import {
  ControlApiError,
  type ErrorContext,
  malformedResponse,
  toControlApiError,
} from './control-api-error';
import { Deadline } from './deadline';
import { elsewhereCode, interruptedCode, malformedResponseCode, notSentCode } from './failure-meaning';
import { defaultRequestLimits, NotSentError, RateLimiter } from './rate-limiter';
import { makeRedactor, type Redact } from './redaction';
import {
  type CallOptions,
  defaultRetryPacing,
  installRetry,
  RequestContext,
  type RetryPacing,
} from './retry';
import { describeForeign, hasJson, parseJson, readOwnResponse, ServiceContact } from './service-contact';

export interface HttpPacing {
  /** How long one request may take. Milliseconds. @default 30000 */
  readonly requestTimeoutMs?: number | undefined;
  readonly retryPacing?: RetryPacing | undefined;
  /** Called when a 429 makes all requests wait for more than a few seconds. */
  readonly onPause?: ((pauseMs: number) => void) | undefined;
}

interface RequestParts extends CallOptions {
  readonly body?: object;
  readonly query?: object;
}

/** How long a write may still take after an interruption. Milliseconds. */
const writeGraceMs = 500;
const maxResponseBytes = 64 * 1024 * 1024;

/** Sends requests to the control API. Every call rejects with a ControlApiError. */
export class HttpClient {
  readonly retryPacing: RetryPacing;
  /** Redacts the key in a text that is about to be shown. */
  readonly redact: Redact;
  readonly signal: AbortSignal | undefined;
  readonly contact = new ServiceContact();
  readonly #http: AxiosInstance;
  readonly #errors: ErrorContext;

  /** @param signal aborted when the user interrupts the run: from then on, nothing is sent */
  constructor(options: ConnectionSettings & HttpPacing, signal?: AbortSignal) {
    this.retryPacing = options.retryPacing ?? defaultRetryPacing;
    const { requestsPerMinute: perMinute = defaultRequestLimits.perMinute, onPause } = options;
    const limiter = new RateLimiter({ ...defaultRequestLimits, perMinute }, onPause);
    this.signal = signal;
    this.redact = makeRedactor([options.apiKey]);
    const { sources, lacksVersion } = options;
    this.#errors = { redact: this.redact, contact: this.contact, sources, lacksVersion };
    this.#http = axios.create({
      baseURL: options.baseUrl.replace(/\/+$/, ''),
      timeout: options.requestTimeoutMs ?? 30_000,
      headers: { Authorization: `Bearer ${options.apiKey}`, Accept: 'application/json' },
      adapter: sendWithin(limiter, this.contact, signal),
      // The key goes to the base URL and nowhere else.
      maxRedirects: 0,
      maxContentLength: maxResponseBytes,
      // requireJson parses the response, so that invalid JSON differs from a failed request.
      responseType: 'text',
      transformResponse: (data: unknown) => data,
      // A request that never leaves this machine needs no proxy, and no proxy needs its key.
      ...(isLoopback(new URL(options.baseUrl)) && { proxy: false }),
      httpAgent: new HttpAgent({ keepAlive: true }),
      httpsAgent: new HttpsAgent({ keepAlive: true, rejectUnauthorized: true }),
      transitional: { clarifyTimeoutError: true },
    });
    // Installed before the retries, which treat a response that is not the service's own like a lost one.
    this.#http.interceptors.response.use(
      (response) => this.#receive(response),
      (error: AxiosError) => {
        if (error.response && readOwnResponse(error.response)) this.contact.noteOwn();
        throw this.#noteFault(error);
      },
    );
    installRetry(this.#http, this.retryPacing, this.contact, signal);
  }

  protected async call<Shape extends z.ZodType>(
    method: string,
    url: string,
    shape: Shape,
    { body, query, ...options }: RequestParts = {},
  ): Promise<z.output<Shape>> {
    const request = {
      method,
      url,
      context: new RequestContext(options),
      // False keeps axios from adding a content type to a request without a body.
      headers: { 'Content-Type': body ? 'application/json' : false },
      ...(body && { data: body }),
      ...(query && { params: query }),
    };
    const response = await this.#http.request(request).catch((error: unknown) => {
      throw toControlApiError(error, method, url, this.#errors);
    });
    const result = shape.safeParse(response.data);
    if (result.success) {
      this.contact.noteOwn();
      return result.data;
    }
    const problem = z.prettifyError(result.error).replaceAll(/\s+/g, ' ');
    const failure = this.contact.describeOtherShape(response, problem);
    throw malformedResponse(method, url, failure, response, this.#errors);
  }

  /** Parses a response that may be the service's own: its shape decides. Any other counts as a failed request. */
  #receive(response: AxiosResponse): AxiosResponse {
    const own = readOwnResponse(response);
    if (own) return Object.assign(response, { data: own.data });
    const { config, request } = response;
    const isBroken = hasJson(response);
    if (!isBroken) this.contact.notePage();
    const message = isBroken ? 'the response is not JSON' : describeForeign(response);
    const code = this.contact.isElsewhere ? elsewhereCode : malformedResponseCode;
    throw this.#noteFault(new AxiosError(message, code, config, request, response));
  }

  #noteFault(error: AxiosError): AxiosError {
    const { method = '', url = '' } = error.config ?? {};
    const fault = toControlApiError(error, method.toUpperCase(), url, this.#errors);
    if (fault instanceof ControlApiError) this.contact.latestFault = fault;
    return error;
  }
}

/**
 * Every request, including each retry, waits for the rate limiter. A 429 pauses all of them. An interruption ends reads at
 * once, and leaves a write some time for its response, which may hold the id of a new endpoint.
 */
function sendWithin(limiter: RateLimiter, contact: ServiceContact, interruption?: AbortSignal): AxiosAdapter {
  const send = axios.getAdapter('http');
  const endOfWrites = new AbortController();
  // Every write listens to it.
  setMaxListeners(0, endOfWrites.signal);
  const end = () => {
    limiter.close();
    setTimeout(() => endOfWrites.abort(), writeGraceMs);
  };
  if (interruption?.aborted) end();
  else interruption?.addEventListener('abort', end, { once: true });
  return async (config) => {
    const method = (config.method ?? 'get').toUpperCase();
    const { context } = config;
    const { onSend, deadline, patienceMs } = context ?? {};
    const queuedAt = performance.now();
    // A default deadline starts with the first request that is sent. Until then, the wait in the queue has no limit.
    const isUnbounded = patienceMs !== undefined && deadline?.hasBegun === false;
    const limited = {
      route: `${method} ${routeOf(config.url ?? '')}`,
      deadline: isUnbounded ? undefined : deadline,
      longestPauseMs: patienceMs,
    };
    try {
      return await limiter.send(limited, () => {
        if (contact.isElsewhere) throw new AxiosError(contact.latestFault?.reason, elsewhereCode, config);
        onSend?.();
        context?.noteSent(queuedAt);
        if (patienceMs !== undefined) deadline?.begin();
        const signal = method === 'GET' ? interruption : endOfWrites.signal;
        return sendInTime(send, config, signal).catch((error: AxiosError) => {
          if (error.response?.status === 429) limiter.backOff(retryAfter(error));
          throw error;
        });
      });
    } catch (error) {
      if (error instanceof NotSentError)
        throw new AxiosError(error.message, limiter.isClosed ? interruptedCode : notSentCode, config);
      throw error;
    }
  };
}

/** Ends the request at its time-out, even during a response: there, axios only limits the time without data. */
async function sendInTime(
  send: AxiosAdapter,
  config: InternalAxiosRequestConfig,
  interruption: AbortSignal | undefined,
): Promise<AxiosResponse> {
  const { timeout: configuredTimeout } = config;
  const timeout = timeoutOf(config);
  const limit = new Deadline(timeout, 'now', interruption);
  const cut = new AbortController();
  const cancel = limit.onEnd(() => cut.abort());
  try {
    return await send(Object.assign(config, { timeout, signal: cut.signal }));
  } catch (error) {
    const broken = findBrokenRefusal(error);
    if (broken)
      throw new AxiosError(`the response with status ${broken.status} is not JSON`, broken.code, config);
    if (limit.isInterrupted || !cut.signal.aborted) throw error;
    throw new AxiosError(`timeout of ${timeout} ms exceeded`, AxiosError.ETIMEDOUT, config);
  } finally {
    cancel();
    // axios-retry sends the same configuration again.
    Object.assign(config, { timeout: configuredTimeout, signal: undefined });
  }
}

/**
 * The status and code of a 400 to 428 that broke off, or whose JSON is incomplete. It may come from a proxy, so it counts as no
 * response. A 429 still asks to wait.
 */
function findBrokenRefusal(error: unknown): { status: number; code: string } | undefined {
  if (!axios.isAxiosError<string>(error) || !error.response) return undefined;
  const { status, data } = error.response;
  if (!inRange(status, 400, 429)) return undefined;
  if (error.code === AxiosError.ERR_BAD_RESPONSE) return { status, code: 'ECONNRESET' };
  const isMalformed = hasJson(error.response) && data && parseJson(data) === undefined;
  return isMalformed ? { status, code: malformedResponseCode } : undefined;
}

/** The time left until the deadline, at most the request time-out. At least 1, since 0 would mean no time-out. */
function timeoutOf({ timeout = 0, context }: InternalAxiosRequestConfig): number {
  return Math.max(1, Math.min(timeout, context?.deadline.remainingMs ?? timeout));
}

/** The path without its ids: every second segment, as in `/projects/{id}/endpoints/{id}/start`. */
function routeOf(url: string): string {
  return url.replaceAll(/(\/[^/]+)\/[^/]+/g, '$1/{id}');
}

/**
 * A path with each id encoded, so that no id can address another resource.
 * @throws Error for an empty id, `.` and `..`, which would change the path
 */
export function path(literals: TemplateStringsArray, ...ids: string[]): string {
  const step = ids.find((id) => ['', '.', '..'].includes(id));
  if (step !== undefined) throw new Error(`"${step}" is not a valid id.`);
  return String.raw({ raw: literals.raw }, ...ids.map(encodeURIComponent));
}
