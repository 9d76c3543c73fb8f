import type { Deadline } from './deadline';
import { type CallOptions, HttpClient, type HttpClientOptions, path } from './http-client';
import type { Redact } from './redaction';
import type { RetryPacing } from './retry';
import {
  type Branch,
  type Endpoint,
  type EndpointAttributes,
  type EndpointChange,
  type Operation,
  type OperationsPage,
  responses,
} from './wire-types';

/** The calls of the control API. Every one rejects with a ControlApiError. */
export class ControlApi {
  readonly #http: HttpClient;

  constructor(options: HttpClientOptions) {
    this.#http = new HttpClient(options);
  }

  get retryPacing(): RetryPacing {
    return this.#http.retryPacing;
  }

  /** Redacts the key in a text that is about to be shown. */
  get redact(): Redact {
    return this.#http.redact;
  }

  async listBranches(projectId: string): Promise<Branch[]> {
    return (await this.#http.call('GET', path`/projects/${projectId}/branches`, responses.branches)).branches;
  }

  async listEndpoints(projectId: string, options?: CallOptions): Promise<Endpoint[]> {
    const url = path`/projects/${projectId}/endpoints`;
    return (await this.#http.call('GET', url, responses.endpoints, options)).endpoints;
  }

  async getEndpoint(projectId: string, endpointId: string, deadline?: Deadline): Promise<Endpoint> {
    const url = path`/projects/${projectId}/endpoints/${endpointId}`;
    return (await this.#http.call('GET', url, responses.endpoint, { deadline })).endpoint;
  }

  async createEndpoint(
    projectId: string,
    endpoint: EndpointAttributes,
    deadline?: Deadline,
  ): Promise<EndpointChange> {
    const url = path`/projects/${projectId}/endpoints`;
    return this.#http.call('POST', url, responses.endpointChange, { body: { endpoint }, deadline });
  }

  async updateEndpoint(
    projectId: string,
    endpointId: string,
    endpoint: EndpointAttributes,
    deadline?: Deadline,
  ): Promise<EndpointChange> {
    const url = path`/projects/${projectId}/endpoints/${endpointId}`;
    return this.#http.call('PATCH', url, responses.endpointChange, { body: { endpoint }, deadline });
  }

  /** Resolves to undefined when the service answers 204: the endpoint was gone already. */
  async deleteEndpoint(
    projectId: string,
    endpointId: string,
    deadline?: Deadline,
  ): Promise<EndpointChange | undefined> {
    const url = path`/projects/${projectId}/endpoints/${endpointId}`;
    return this.#http.call('DELETE', url, responses.endpointChange.optional(), { deadline });
  }

  /** `start` and `suspend` do nothing to a compute that is there already; `restart` needs an active one. */
  async controlEndpoint(
    projectId: string,
    endpointId: string,
    verb: 'start' | 'suspend' | 'restart',
    deadline?: Deadline,
  ): Promise<EndpointChange> {
    const url = path`/projects/${projectId}/endpoints/${endpointId}/${verb}`;
    return this.#http.call('POST', url, responses.endpointChange, { deadline });
  }

  /** One page, newest first. `limit` is 1 to 1000; `cursor` comes from the page before. */
  async listOperations(
    projectId: string,
    page: { limit?: number; cursor?: string } = {},
    options?: CallOptions,
  ): Promise<OperationsPage> {
    const url = path`/projects/${projectId}/operations`;
    return this.#http.call('GET', url, responses.operations, { ...options, query: page });
  }

  async getOperation(projectId: string, operationId: string, options?: CallOptions): Promise<Operation> {
    const url = path`/projects/${projectId}/operations/${operationId}`;
    return (await this.#http.call('GET', url, responses.operation, options)).operation;
  }
}
