import axios, {
  type AxiosAdapter,
  AxiosError,
  AxiosHeaders,
  type AxiosResponse,
  CanceledError,
  type InternalAxiosRequestConfig,
} from 'axios';
import { isUndefined, omitBy } from 'lodash';
import type { Served } from '../service/in-process-reply';
import type { Randomness } from '../time/seeded-randomness';

/** How the network treats one request. */
export interface Carriage {
  readonly outwardMs: number;
  readonly returnMs: number;
  /** The request arrives twice, unless the first time it is refused; the second response is lost. */
  readonly isDuplicated: boolean;
}

export interface SentRequest {
  readonly method: string;
  /** With the query, below the version segment. */
  readonly path: string;
  readonly body: string | undefined;
  /** It arrives for the second time. @default false */
  readonly isRepeated?: boolean;
}

/** The process that sends a request. */
export interface Sender {
  readonly name: string;
  readonly isAlive: boolean;
  /** Something happens to it, at which it may die. */
  step(): void;
}

/** Decides how each request travels, and is told when it is sent, arrives and is delivered. */
export interface Carrier {
  readonly randomness: Randomness;
  carry(request: SentRequest): Carriage;
  sent(sender: Sender, request: SentRequest): void;
  /** The request is about to have its effect. */
  arriving?(sender: Sender, request: SentRequest): void;
  /** Does the work of the service. */
  arrive(sender: Sender, request: SentRequest, config: InternalAxiosRequestConfig): Promise<Served>;
  delivered(sender: Sender, request: SentRequest, served: Served): void;
}

/** The share of the requests of a dead process that do not arrive any more. */
const lostWithProcess = 0.3;

/** Delivers requests between simulated processes and the service, in place of the HTTP adapter of axios. */
export class Network {
  readonly #senders = new Map<string, Sender>();
  #carrier: Carrier | undefined;
  /** The requests that have no response yet. Those of an earlier schedule do not count. */
  readonly underWay = new Set<object>();

  /** Forgets everything of the schedule before. */
  reset(carrier: Carrier): void {
    this.#senders.clear();
    this.#carrier = carrier;
    this.underWay.clear();
  }

  /** Returns the base URL of a process: the address shows which one has sent a request. */
  connect(sender: Sender): string {
    const baseUrl = `http://127.0.0.1:${10_000 + this.#senders.size}/api/v2`;
    this.#senders.set(baseUrl, sender);
    return baseUrl;
  }

  /** Puts itself in place of the HTTP adapter. Returns a function that puts it back. */
  install(): () => void {
    const { getAdapter } = axios;
    axios.getAdapter = () => this.#adapter;
    return () => {
      axios.getAdapter = getAdapter;
    };
  }

  readonly #adapter: AxiosAdapter = (config) => {
    const sender = this.#senders.get(config.baseURL ?? '');
    const carrier = this.#carrier;
    // A process of an earlier schedule, or one that is dead: what it does has no effect any more.
    if (!sender?.isAlive || !carrier) return new Promise(() => undefined);
    return exchange(this.underWay, carrier, sender, config);
  };
}

/** One request, until its response arrives or the client gives up. */
function exchange(
  underWay: Set<object>,
  carrier: Carrier,
  sender: Sender,
  config: InternalAxiosRequestConfig,
): Promise<AxiosResponse> {
  const request = toRequest(config);
  const { signal } = config;
  return new Promise((resolve, reject) => {
    /** Returns whether the process still waits for the response. */
    const end = () => {
      const isWaiting = underWay.delete(request);
      clearTimeout(timer);
      signal?.removeEventListener?.('abort', abort);
      return isWaiting && sender.isAlive;
    };
    const fail = (error: Error) => {
      if (end()) reject(error);
    };
    const abort = () => fail(new CanceledError('canceled', config));
    const deliver = (served: Served) => {
      if (!end()) return;
      if (served.kind === 'lost') {
        reject(new AxiosError('socket hang up', 'ECONNRESET', config, {}));
        return;
      }
      carrier.delivered(sender, request, served);
      sender.step();
      if (!sender.isAlive) return;
      const error = toError(served, config);
      if (error) reject(error);
      else resolve(toResponse(served, config));
    };
    const arrive = async ({ returnMs, isDuplicated }: Carriage) => {
      if (!sender.isAlive && carrier.randomness.happens(lostWithProcess)) return;
      carrier.arriving?.(sender, request);
      const served = await carrier.arrive(sender, request, config);
      const isRefused = served.kind === 'whole' && served.status >= 400;
      if (isDuplicated && !isRefused) void carrier.arrive(sender, { ...request, isRepeated: true }, config);
      sender.step();
      setTimeout(() => deliver(served), returnMs).unref();
    };
    underWay.add(request);
    carrier.sent(sender, request);
    sender.step();
    const carriage = carrier.carry(request);
    // What a process has written to its socket before it dies may arrive all the same.
    setTimeout(() => void arrive(carriage), carriage.outwardMs).unref();
    const timer = setTimeout(() => fail(timeout(config)), config.timeout ?? 0);
    if (signal?.aborted) abort();
    else signal?.addEventListener?.('abort', abort);
  });
}

/** The error of a response that breaks off, or whose status the client does not accept. */
function toError(served: Exclude<Served, { kind: 'lost' }>, config: InternalAxiosRequestConfig) {
  const { kind, status } = served;
  const fail = (message: string, code: string) =>
    new AxiosError(message, code, config, {}, toResponse(served, config));
  if (kind === 'cut off') return fail('stream has been aborted', AxiosError.ERR_BAD_RESPONSE);
  if (config.validateStatus?.(status) ?? true) return undefined;
  const code = status < 500 ? AxiosError.ERR_BAD_REQUEST : AxiosError.ERR_BAD_RESPONSE;
  return fail(`Request failed with status code ${status}`, code);
}

function timeout(config: InternalAxiosRequestConfig): AxiosError {
  return new AxiosError(`timeout of ${config.timeout}ms exceeded`, AxiosError.ETIMEDOUT, config, {});
}

function toRequest({ method = 'get', url = '', params, data }: InternalAxiosRequestConfig): SentRequest {
  const query = params && new URLSearchParams(omitBy(params, isUndefined)).toString();
  return { method: method.toUpperCase(), path: query ? `${url}?${query}` : url, body: data };
}

function toResponse(
  served: Exclude<Served, { kind: 'lost' }>,
  config: InternalAxiosRequestConfig,
): AxiosResponse {
  const headers = new AxiosHeaders(served.headers);
  return { data: served.body, status: served.status, statusText: '', headers, config, request: {} };
}
