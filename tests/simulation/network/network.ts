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
  readonly underWay = new Set<Exchange>();

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
    return new Promise((resolve, reject) => {
      new Exchange(this, carrier, sender, config, resolve, reject).begin();
    });
  };
}

/** One request, until its response arrives or the client gives up. */
class Exchange {
  readonly #network: Network;
  readonly #carrier: Carrier;
  readonly #sender: Sender;
  readonly #config: InternalAxiosRequestConfig;
  readonly #request: SentRequest;
  readonly #resolve: (response: AxiosResponse) => void;
  readonly #reject: (error: Error) => void;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(
    network: Network,
    carrier: Carrier,
    sender: Sender,
    config: InternalAxiosRequestConfig,
    resolve: (response: AxiosResponse) => void,
    reject: (error: Error) => void,
  ) {
    this.#network = network;
    this.#carrier = carrier;
    this.#sender = sender;
    this.#config = config;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#request = toRequest(config);
  }

  begin(): void {
    const config = this.#config;
    this.#network.underWay.add(this);
    this.#carrier.sent(this.#sender, this.#request);
    this.#sender.step();
    const { outwardMs, returnMs, isDuplicated } = this.#carrier.carry(this.#request);
    // What a process has written to its socket before it dies may arrive all the same.
    setTimeout(() => void this.#arrive(returnMs, isDuplicated), outwardMs).unref();
    this.#timer = setTimeout(() => this.#fail(timeout(config)), config.timeout ?? 0);
    const { signal } = config;
    if (signal?.aborted) this.#abort();
    else signal?.addEventListener?.('abort', this.#abort);
  }

  async #arrive(returnMs: number, isDuplicated: boolean): Promise<void> {
    const carrier = this.#carrier;
    if (!this.#sender.isAlive && carrier.randomness.happens(lostWithProcess)) return;
    carrier.arriving?.(this.#sender, this.#request);
    const served = await carrier.arrive(this.#sender, this.#request, this.#config);
    const isRefused = served.kind === 'whole' && served.status >= 400;
    if (isDuplicated && !isRefused) void carrier.arrive(this.#sender, this.#request, this.#config);
    this.#sender.step();
    setTimeout(() => this.#deliver(served), returnMs).unref();
  }

  #deliver(served: Served): void {
    if (!this.#end()) return;
    if (served.kind === 'lost') {
      this.#reject(new AxiosError('socket hang up', 'ECONNRESET', this.#config, {}));
      return;
    }
    this.#carrier.delivered(this.#sender, this.#request, served);
    this.#sender.step();
    if (!this.#sender.isAlive) return;
    const error = toError(served, this.#config);
    if (error) this.#reject(error);
    else this.#resolve(toResponse(served, this.#config));
  }

  readonly #abort = (): void => {
    this.#fail(new CanceledError('canceled', this.#config));
  };

  #fail(error: Error): void {
    if (this.#end()) this.#reject(error);
  }

  /** Returns whether the process still waits for the response. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#network.underWay.delete(this);
    clearTimeout(this.#timer);
    this.#config.signal?.removeEventListener?.('abort', this.#abort);
    return this.#sender.isAlive;
  }
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
