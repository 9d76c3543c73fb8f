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
  type Project,
  responses,
} from './wire-types';

/** What the service can do with a compute on request. */
export type PowerVerb = 'start' | 'suspend' | 'restart';

/** Which connection to describe. Without an endpoint the branch's read_write endpoint, without a branch the default one. */
export interface ConnectionUriQuery {
  readonly branch_id?: string | undefined;
  readonly endpoint_id?: string | undefined;
  readonly database_name: string;
  readonly role_name: string;
  readonly pooled?: boolean | undefined;
}

/** The service's largest pages (official API description). */
const projectsPerPage = 400;
const branchesPerPage = 10_000;

/** The calls of the control API. Each rejects with a ControlApiError. */
export class ControlApi extends HttpClient {
  async getProject(projectId: string): Promise<Project> {
    return (await this.call('GET', path`/projects/${projectId}`, responses.project)).project;
  }

  /** Every project of the account, or of an organization. A personal key may need `orgId`. */
  async listProjects(orgId?: string): Promise<Project[]> {
    return readPages(projectsPerPage, async (page) => {
      const query = { ...page, ...(orgId !== undefined && { org_id: orgId }) };
      const { projects, pagination } = await this.call('GET', '/projects', responses.projects, { query });
      return { items: projects, cursor: pagination?.cursor };
    });
  }

  async getBranch(projectId: string, branchId: string): Promise<Branch> {
    const url = path`/projects/${projectId}/branches/${branchId}`;
    return (await this.call('GET', url, responses.branch)).branch;
  }

  async listBranches(projectId: string): Promise<Branch[]> {
    return readPages(branchesPerPage, async (query) => {
      const url = path`/projects/${projectId}/branches`;
      const { branches, pagination } = await this.call('GET', url, responses.branches, { query });
      return { items: branches, cursor: pagination?.next };
    });
  }

  /** The URI holds the role's password. */
  async getConnectionUri(projectId: string, query: ConnectionUriQuery): Promise<string> {
    const url = path`/projects/${projectId}/connection_uri`;
    return (await this.call('GET', url, responses.connectionUri, { query })).uri;
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

/** The items of all pages. A page that is not full is the last one. */
async function readPages<Item>(
  limit: number,
  read: (page: { limit: number; cursor?: string }) => Promise<{ items: Item[]; cursor: string | undefined }>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await read({ limit, ...(cursor !== undefined && { cursor }) });
    all.push(...page.items);
    if (page.items.length < limit || page.cursor === undefined || page.cursor === cursor) return all;
    cursor = page.cursor;
  }
}
