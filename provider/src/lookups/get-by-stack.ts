import * as pulumi from '@pulumi/pulumi';
import type { ConnectionUriQuery, ControlApi } from '../control-api/control-api';
import { type ConnectionResources, toNames } from './connection-resources';
import { type BranchState, readBranch, readBranches } from './live-branch';
import { readConnectionUri } from './live-connection-uri';
import { type ComputeEndpointState, readEndpoints, toEndpointState } from './live-endpoint';
import { type ProjectState, readProject, readProjects } from './live-project';
import { lookUp } from './stack-connection';

/**
 * Reads one branch of a project: by its id or by its name; without either, the default branch.
 * @throws Error when both are given, or when no branch has the name; ControlApiError 404 when there is no such id
 */
export async function getBranch(of: {
  /** The project of the branch. */
  projectId: string;
  /** The branch's id, such as `br-cold-lake-12345678`. */
  branchId?: string | undefined;
  /** The branch's name. */
  name?: string | undefined;
}): Promise<BranchState> {
  return lookUp('getBranch', of, (api) => readBranch(api, of));
}

/**
 * Reads every branch of a project.
 * @throws ControlApiError 404 when there is no such project
 */
export async function getBranches(of: {
  /** The project of the branches. */
  projectId: string;
}): Promise<BranchState[]> {
  const read = async (api: ControlApi) => ({ branches: await readBranches(api, of) });
  return (await lookUp('getBranches', of, read)).branches;
}

/**
 * Reads the current state of one endpoint.
 * @throws ControlApiError 404 when the project has no such endpoint
 */
export async function getComputeEndpoint(at: {
  /** The project of the endpoint. */
  projectId: string;
  /** The endpoint's id, such as `ep-cool-lake-12345678`. */
  endpointId: string;
}): Promise<ComputeEndpointState> {
  const read = (api: ControlApi) => api.getEndpoint(at.projectId, at.endpointId).then(toEndpointState);
  return lookUp('getComputeEndpoint', at, read);
}

/**
 * Reads the current state of all endpoints of a project or of one branch.
 * @throws ControlApiError 404 when there is no such project
 */
export async function getComputeEndpoints(of: {
  /** The project of the endpoints. */
  projectId: string;
  /** The branch of the endpoints. @default all branches of the project */
  branchId?: string;
}): Promise<ComputeEndpointState[]> {
  const read = async (api: ControlApi) => ({ endpoints: await readEndpoints(api, of) });
  return (await lookUp('getComputeEndpoints', of, read)).endpoints;
}

/**
 * Reads one project, by its id or by its name.
 * @throws Error when both or neither is given, no project has the name, or several have it; ControlApiError 404 when there
 * is no such id
 */
export async function getProject(of: {
  /** The project's id, such as `cool-lake-12345678`. Give either the id or the name. */
  projectId?: string | undefined;
  /** The project's name. */
  name?: string | undefined;
  /** The organization of the project. A personal key may need it to find a name. @default that of the key */
  orgId?: string | undefined;
}): Promise<ProjectState> {
  return lookUp('getProject', of, (api) => readProject(api, of));
}

/** Reads every project of the account. */
export async function getProjects(
  of: {
    /** The organization of the projects. A personal key may need it. @default that of the key */
    orgId?: string | undefined;
  } = {},
): Promise<ProjectState[]> {
  const read = async (api: ControlApi) => ({ projects: await readProjects(api, of) });
  return (await lookUp('getProjects', of, read)).projects;
}

/**
 * Reads the connection string of a database, as a secret: Pulumi encrypts it in the state, and hides it on the screen.
 * @throws ControlApiError 404 when there is no such project, branch, endpoint, database or role
 */
export function getConnectionUri(of: {
  /** The project of the database. */
  projectId: pulumi.Input<string>;
  /** The branch of the database. @default the branch of `endpointId`, or else the project's default branch */
  branchId?: pulumi.Input<string>;
  /** The endpoint to connect to. @default the branch's read_write endpoint */
  endpointId?: pulumi.Input<string>;
  /** The database to connect to: its name, as in the output `name` of a `Database`. Before that exists, a preview does not know the string. */
  databaseName: pulumi.Input<string>;
  /** The Postgres role to connect as: its name, or the id of a `Role`. */
  roleName: pulumi.Input<string>;
  /** Whether to connect through the connection pooler. @default false */
  pooled?: pulumi.Input<boolean>;
}): pulumi.Output<string>;
export function getConnectionUri(of: ConnectionResources): pulumi.Output<string>;
export function getConnectionUri(of: ConnectionResources | pulumi.Inputs): pulumi.Output<string> {
  const query: pulumi.Output<ConnectionUriQuery> = isOfResources(of)
    ? toNames(of)
    : pulumi.output(of as unknown as ConnectionUriQuery); // By the overloads.
  const found = query.apply((known) =>
    lookUp('getConnectionUri', known, (api) => readConnectionUri(api, known)),
  );
  return pulumi.secret(found.uri);
}

function isOfResources(of: object): of is ConnectionResources {
  return 'role' in of;
}
