import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import axios, { type AxiosAdapter, AxiosError, type AxiosInstance, type AxiosResponse } from 'axios';
import { retryAfter } from 'axios-retry';
import type { z } from 'zod';
import { malformedAnswer, parseJson, toControlApiError } from './control-api-error';
import { Deadline } from './deadline';
import { malformedAnswerCode } from './failure-meaning';
import { isLoopback } from './loopback';
import { defaultRequestLimits, RequestBudget } from './request-budget';
import { defaultRetryPacing, installRetry, type RetryPacing } from './retry';
import {
  answers,
  type Branch,
  type Endpoint,
  type EndpointAttributes,
  type EndpointChange,
  type Operation,
  type OperationsPage,
  type Project,
} from './wire-types';

export interface ControlApiOptions {
  /** Ends in the version segment: `https://host/api/v2`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** How long one request may take. Milliseconds. @default 30000 */
  readonly requestTimeoutMs?: number;
  readonly retryPacing?: RetryPacing;
  /** @default 700 requests a minute */
  readonly requestsPerMinute?: number | undefined;
}

interface CallOptions {
  readonly body?: object;
  readonly query?: object;
  readonly deadline?: Deadline | undefined;
  readonly onSend?: (() => void) | undefined;
}

/** How long a call that is given no deadline of its own is tried. */
const defaultPatienceMs = 60_000;
const maxAnswerBytes = 64 * 1024 * 1024;

/** The calls of the control API. Every one rejects with a ControlApiError. */
export class ControlApi {
  readonly retryPacing: RetryPacing;
  readonly #http: AxiosInstance;

  constructor(options: ControlApiOptions) {
    this.retryPacing = options.retryPacing ?? defaultRetryPacing;
    const { requestsPerMinute = defaultRequestLimits.perMinute } = options;
    const budget = new RequestBudget({ ...defaultRequestLimits, perMinute: requestsPerMinute });
    this.#http = axios.create({
      baseURL: options.baseUrl.replace(/\/+$/, ''),
      timeout: options.requestTimeoutMs ?? 30_000,
      headers: { Authorization: `Bearer ${options.apiKey}`, Accept: 'application/json' },
      adapter: sendWithin(budget),
      // The key goes to the base URL and nowhere else.
      maxRedirects: 0,
      maxContentLength: maxAnswerBytes,
      // Parsed below, so that an answer that is no JSON is told apart from a failed request.
      responseType: 'text',
      // A service, or what stands before it, may repeat what it was sent.
      transformResponse: (data: unknown) => withoutKey(data, options.apiKey),
      // What never leaves this machine needs no proxy, and no proxy needs its key.
      ...(isLoopback(new URL(options.baseUrl)) && { proxy: false }),
      httpAgent: new HttpAgent({ keepAlive: true }),
      httpsAgent: new HttpsAgent({ keepAlive: true, rejectUnauthorized: true }),
      transitional: { clarifyTimeoutError: true },
    });
    // Before the retries, which treat an answer that is no JSON like one that got lost.
    this.#http.interceptors.response.use(requireJson);
    installRetry(this.#http, this.retryPacing);
  }

  async createProject(project: { name?: string; region_id?: string } = {}) {
    return this.#call('POST', '/projects', answers.projectChange, { body: { project } });
  }

  async listProjects(): Promise<Project[]> {
    return (await this.#call('GET', '/projects', answers.projects)).projects;
  }

  async getProject(projectId: string): Promise<Project> {
    return (await this.#call('GET', path`/projects/${projectId}`, answers.project)).project;
  }

  async createBranch(projectId: string, branch: { name?: string; parent_id?: string } = {}) {
    return this.#call('POST', path`/projects/${projectId}/branches`, answers.branchChange, {
      body: { branch },
    });
  }

  async listBranches(projectId: string): Promise<Branch[]> {
    return (await this.#call('GET', path`/projects/${projectId}/branches`, answers.branches)).branches;
  }

  async getBranch(projectId: string, branchId: string): Promise<Branch> {
    return (await this.#call('GET', path`/projects/${projectId}/branches/${branchId}`, answers.branch))
      .branch;
  }

  /** `onSend` is called when the request goes out: it may wait for its place in the budget before. */
  async listEndpoints(projectId: string, { onSend }: { onSend?: () => void } = {}): Promise<Endpoint[]> {
    const url = path`/projects/${projectId}/endpoints`;
    return (await this.#call('GET', url, answers.endpoints, { onSend })).endpoints;
  }

  async getEndpoint(projectId: string, endpointId: string, deadline?: Deadline): Promise<Endpoint> {
    const url = path`/projects/${projectId}/endpoints/${endpointId}`;
    return (await this.#call('GET', url, answers.endpoint, { deadline })).endpoint;
  }

  async createEndpoint(
    projectId: string,
    endpoint: EndpointAttributes,
    deadline?: Deadline,
  ): Promise<EndpointChange> {
    const url = path`/projects/${projectId}/endpoints`;
    return this.#call('POST', url, answers.endpointChange, { body: { endpoint }, deadline });
  }

  async updateEndpoint(
    projectId: string,
    endpointId: string,
    endpoint: EndpointAttributes,
    deadline?: Deadline,
  ): Promise<EndpointChange> {
    const url = path`/projects/${projectId}/endpoints/${endpointId}`;
    return this.#call('PATCH', url, answers.endpointChange, { body: { endpoint }, deadline });
  }

  /** Resolves to undefined when the service answers 204: the endpoint was gone already. */
  async deleteEndpoint(
    projectId: string,
    endpointId: string,
    deadline?: Deadline,
  ): Promise<EndpointChange | undefined> {
    const url = path`/projects/${projectId}/endpoints/${endpointId}`;
    return this.#call('DELETE', url, answers.endpointChange.optional(), { deadline });
  }

  /** `start` and `suspend` do nothing to a compute that is there already; `restart` needs an active one. */
  async controlEndpoint(
    projectId: string,
    endpointId: string,
    verb: 'start' | 'suspend' | 'restart',
    deadline?: Deadline,
  ): Promise<EndpointChange> {
    const url = path`/projects/${projectId}/endpoints/${endpointId}/${verb}`;
    return this.#call('POST', url, answers.endpointChange, { deadline });
  }

  /** One page, newest first. `limit` is 1 to 1000; `cursor` comes from the page before. */
  async listOperations(
    projectId: string,
    page: { limit?: number; cursor?: string } = {},
    deadline?: Deadline,
  ): Promise<OperationsPage> {
    const url = path`/projects/${projectId}/operations`;
    return this.#call('GET', url, answers.operations, { query: page, deadline });
  }

  async getOperation(projectId: string, operationId: string, deadline?: Deadline): Promise<Operation> {
    const url = path`/projects/${projectId}/operations/${operationId}`;
    return (await this.#call('GET', url, answers.operation, { deadline })).operation;
  }

  async #call<Shape extends z.ZodType>(
    method: string,
    url: string,
    shape: Shape,
    { body, query, onSend, deadline = new Deadline(defaultPatienceMs) }: CallOptions = {},
  ): Promise<z.output<Shape>> {
    const request = {
      method,
      url,
      deadline,
      // False keeps the HTTP client from naming a type of its own for a body that is not there.
      headers: { 'Content-Type': body ? 'application/json' : false },
      ...(onSend && { onSend }),
      ...(body && { data: body }),
      ...(query && { params: query }),
    };
    const response = await this.#http.request(request).catch((error: unknown) => {
      throw toControlApiError(error, method, url);
    });
    if (response.status === 204) return shape.parse(undefined);
    const answer = shape.safeParse(response.data);
    if (answer.success) return answer.data;
    throw malformedAnswer(method, url, response, answer.error);
  }
}

/** Every request, also one that is sent again, waits for its place in the budget; a 429 makes all of them wait. */
function sendWithin(budget: RequestBudget): AxiosAdapter {
  const send = axios.getAdapter('http');
  return (config) => {
    const method = (config.method ?? 'get').toUpperCase();
    return budget.send(`${method} ${routeOf(config.url ?? '')}`, method !== 'GET', () => {
      config.onSend?.();
      return send(config).catch((error: AxiosError) => {
        if (error.response?.status === 429) budget.pause(retryAfter(error));
        throw error;
      });
    });
  };
}

/** The path without its ids, which are every second part of it. */
function routeOf(url: string): string {
  const isId = (index: number) => index > 0 && index % 2 === 0;
  return url
    .split('/')
    .map((part, index) => (isId(index) ? '{id}' : part))
    .join('/');
}

/** Parses the answer; one that is no JSON counts as a failed request. */
function requireJson(response: AxiosResponse): AxiosResponse {
  const data = parseJson(response.data);
  if (response.status === 204 || data !== undefined) return { ...response, data };
  throw new AxiosError(
    'the answer is not JSON',
    malformedAnswerCode,
    response.config,
    response.request,
    response,
  );
}

function withoutKey(data: unknown, apiKey: string): unknown {
  return typeof data === 'string' ? data.replaceAll(JSON.stringify(apiKey).slice(1, -1), '***') : data;
}

/**
 * A path with each id encoded, so that no id can lead to another resource.
 * @throws Error for an id that is no name but a step in the path
 */
function path(literals: TemplateStringsArray, ...ids: string[]): string {
  const step = ids.find((id) => ['', '.', '..'].includes(id));
  if (step !== undefined) throw new Error(`"${step}" is not an id of the service.`);
  return String.raw({ raw: literals.raw }, ...ids.map(encodeURIComponent));
}
