import type { Deadline } from './deadline';
import { path } from './http-client';
import { NamedApi } from './named-api';
import { readPages, unusableList } from './pages';
import { joinFirst, toPrintable } from './printable';
import type { Redact } from './redaction';
import type { CallOptions } from './retry';
import {
  type Branch,
  type BranchAttributes,
  type BranchChange,
  type BranchRestore,
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
  readonly projectId: string;
  readonly branchId?: string | undefined;
  readonly endpointId?: string | undefined;
  readonly databaseName: string;
  readonly roleName: string;
  readonly pooled?: boolean | undefined;
}

/** The service's largest pages (official API description). */
const projectsPerPage = 400;
const branchesPerPage = 10_000;

/** An error names at most this many unreadable projects. */
const mostUnavailable = 20;

/** The calls of the control API. Each rejects with a ControlApiError. */
export class ControlApi extends NamedApi {
  async getProject(projectId: string): Promise<Project> {
    return (await this.call('GET', path`/projects/${projectId}`, responses.project)).project;
  }

  /** Every project of the account, or of an organization. A personal key may need `orgId`. */
  async listProjects(orgId?: string): Promise<Project[]> {
    return readPages('/projects', projectsPerPage, async (page) => {
      const query = { ...page, ...(orgId !== undefined && { org_id: orgId }) };
      const response = await this.call('GET', '/projects', responses.projects, { query });
      requireAvailable(response.unavailable_project_ids, this.redact);
      return { items: response.projects, next: response.pagination?.cursor };
    });
  }

  async getBranch(projectId: string, branchId: string, deadline?: Deadline): Promise<Branch> {
    const url = path`/projects/${projectId}/branches/${branchId}`;
    return (await this.call('GET', url, responses.branch, { deadline })).branch;
  }

  async listBranches(projectId: string, options?: CallOptions): Promise<Branch[]> {
    const url = path`/projects/${projectId}/branches`;
    return readPages(url, branchesPerPage, async (query) => {
      const { branches, pagination } = await this.call('GET', url, responses.branches, { ...options, query });
      return { items: branches, next: pagination?.next };
    });
  }

  /** Without an endpoint. */
  async createBranch(
    projectId: string,
    branch: BranchAttributes,
    deadline?: Deadline,
  ): Promise<BranchChange> {
    const url = path`/projects/${projectId}/branches`;
    return this.call('POST', url, responses.branchChange, { body: { branch }, deadline });
  }

  async updateBranch(
    projectId: string,
    branchId: string,
    branch: BranchAttributes,
    deadline?: Deadline,
  ): Promise<BranchChange> {
    const url = path`/projects/${projectId}/branches/${branchId}`;
    return this.call('PATCH', url, responses.branchChange, { body: { branch }, deadline });
  }

  /** Replaces the data of a branch, which keeps its id and its endpoints. A second request does so again. */
  async restoreBranch(
    projectId: string,
    branchId: string,
    restore: BranchRestore,
    deadline?: Deadline,
  ): Promise<BranchChange> {
    const url = path`/projects/${projectId}/branches/${branchId}/restore`;
    return this.call('POST', url, responses.branchChange, { body: restore, deadline });
  }

  /** Also deletes its endpoints. Resolves to undefined when the service returns 204: the branch no longer exists. */
  async deleteBranch(
    projectId: string,
    branchId: string,
    deadline?: Deadline,
  ): Promise<BranchChange | undefined> {
    const url = path`/projects/${projectId}/branches/${branchId}`;
    return this.call('DELETE', url, responses.branchChange.optional(), { deadline });
  }

  /** The names of the databases or the roles of a branch. */
  async listNames(projectId: string, branchId: string, kind: 'databases' | 'roles'): Promise<string[]> {
    const url = `${path`/projects/${projectId}/branches/${branchId}`}/${kind}`;
    const response = await this.call('GET', url, responses[kind]);
    return Object.values(response)
      .flat()
      .map(({ name }) => name);
  }

  /** The URI holds the role's password. */
  async getConnectionUri({ projectId, ...of }: ConnectionUriQuery): Promise<string> {
    const url = path`/projects/${projectId}/connection_uri`;
    const query = {
      branch_id: of.branchId,
      endpoint_id: of.endpointId,
      database_name: of.databaseName,
      role_name: of.roleName,
      pooled: of.pooled,
    };
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

/** @throws ControlApiError when the service could not read some projects in time: the list would be incomplete */
function requireAvailable(unavailableIds: readonly string[], redact: Redact): void {
  if (unavailableIds.length === 0) return;
  const which = toPrintable(redact(joinFirst(unavailableIds, mostUnavailable, 'more projects')));
  throw unusableList(
    '/projects',
    `the service could not read ${which} in time, so the list would be incomplete. Try again later, or give the id of the project.`,
  );
}
