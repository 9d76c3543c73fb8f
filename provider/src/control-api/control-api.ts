import type { Deadline } from './deadline';
import { HttpClient, path } from './http-client';
import type { CallOptions } from './retry';
import {
  type Branch,
  type Endpoint,
  type EndpointAttributes,
  type EndpointChange,
  type Operation,
  type OperationsPage,
  responses,
} from './wire-types';

/** What the service can do with a compute on request. */
export type PowerVerb = 'start' | 'suspend' | 'restart';

/** The calls of the control API. Each rejects with a ControlApiError. */
export class ControlApi extends HttpClient {
  async listBranches(projectId: string): Promise<Branch[]> {
    return (await this.call('GET', path`/projects/${projectId}/branches`, responses.branches)).branches;
  }

  async listEndpoints(projectId: string, options?: CallOptions): Promise<Endpoint[]> {
    const url = path`/projects/${projectId}/endpoints`;
    return (await this.call('GET', url, responses.endpoints, options)).endpoints;
  }

  async getEndpoint(projectId: string, endpointId: string, deadline?: Deadline): Promise<Endpoint> {
    const url = path`/projects/${projectId}/endpoints/${endpointId}`;
    return (await this.call('GET', url, responses.endpoint, { deadline })).endpoint;
  }

  async createEndpoint(
    projectId: string,
    endpoint: EndpointAttributes,
    deadline?: Deadline,
  ): Promise<EndpointChange> {
    const url = path`/projects/${projectId}/endpoints`;
    return this.call('POST', url, responses.endpointChange, { body: { endpoint }, deadline });
  }

  async updateEndpoint(
    projectId: string,
    endpointId: string,
    endpoint: EndpointAttributes,
    deadline?: Deadline,
  ): Promise<EndpointChange> {
    const url = path`/projects/${projectId}/endpoints/${endpointId}`;
    return this.call('PATCH', url, responses.endpointChange, { body: { endpoint }, deadline });
  }

  /** Resolves to undefined when the service returns 204: the endpoint no longer exists. */
  async deleteEndpoint(
    projectId: string,
    endpointId: string,
    deadline?: Deadline,
  ): Promise<EndpointChange | undefined> {
    const url = path`/projects/${projectId}/endpoints/${endpointId}`;
    return this.call('DELETE', url, responses.endpointChange.optional(), { deadline });
  }

  /** `start` and `suspend` do nothing to a compute already in that state; `restart` needs an active one. */
  async controlEndpoint(
    projectId: string,
    endpointId: string,
    verb: PowerVerb,
    deadline?: Deadline,
  ): Promise<EndpointChange> {
    const url = path`/projects/${projectId}/endpoints/${endpointId}/${verb}`;
    return this.call('POST', url, responses.endpointChange, { deadline });
  }

  /** One page, newest first. `limit` is 1 to 1000; `cursor` is that of the previous page. */
  async listOperations(
    projectId: string,
    page: { limit?: number; cursor?: string } = {},
    options?: CallOptions,
  ): Promise<OperationsPage> {
    const url = path`/projects/${projectId}/operations`;
    return this.call('GET', url, responses.operations, { ...options, query: page });
  }

  async getOperation(projectId: string, operationId: string, options?: CallOptions): Promise<Operation> {
    const url = path`/projects/${projectId}/operations/${operationId}`;
    return (await this.call('GET', url, responses.operation, options)).operation;
  }
}
