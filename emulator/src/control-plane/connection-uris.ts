import { ApiError, badRequest, notFound } from '../records/api-error';
import { type ProjectRecord, readWriteEndpointOf } from '../records/project-record';
import type { BranchPlace } from '../records/store';
import type { Endpoint } from '../records/wire-types';
import type { ControlPlane } from './control-plane';
import { findDatabase, findRole } from './roles-and-databases';

/** Postgres's port, which connection URIs leave out. */
const DEFAULT_PORT = 5432;

/** The query of a connection URI. */
export interface ConnectionQuery {
  readonly branch_id?: string | undefined;
  readonly endpoint_id?: string | undefined;
  readonly role_name: string;
  readonly database_name: string;
  readonly pooled?: boolean | undefined;
}

/** By default, the URI leads to the read_write endpoint of the default branch. */
export function findConnectionUri(
  plane: ControlPlane,
  project: ProjectRecord,
  query: ConnectionQuery,
): string {
  const { endpoint_id, role_name: name, database_name: database } = query;
  const chosen = endpoint_id === undefined ? undefined : plane.store.endpoint(project, endpoint_id).wire;
  const branchId = query.branch_id ?? chosen?.branch_id ?? project.primaryBranchId;
  const branch = plane.store.branch(project, branchId);
  const endpoint = chosen ?? readWriteEndpointOf(project, branchId)?.wire;
  if (endpoint === undefined) {
    throw new ApiError(404, 'NOT_FOUND', `branch ${branchId} has no read_write endpoint: create one first`);
  }
  if (endpoint.branch_id !== branchId) {
    throw badRequest(`endpoint ${endpoint.id} belongs to branch ${endpoint.branch_id}, not to ${branchId}`);
  }
  findDatabase(branch, database);
  const password = revealPassword({ project, branch }, name);
  const host = query.pooled ? poolerHost(endpoint) : endpoint.host;
  return connectionUri(plane, host, { name, password, database });
}

export function revealPassword({ project, branch }: BranchPlace, roleName: string): string {
  const { password } = findRole(branch, roleName);
  if (!project.wire.store_passwords) {
    const message = `project ${project.wire.id} does not store passwords: reset the password to get a new one`;
    throw new ApiError(412, 'PASSWORDS_NOT_STORED', message);
  }
  if (password === undefined) throw notFound(`branch ${branch.wire.id}: the password of role`, roleName);
  return password;
}

/** Without real servers, the host name leads nowhere, and needs no port. */
export function connectionUri(
  { dataPlane }: Pick<ControlPlane, 'dataPlane'>,
  host: string,
  { name, password = '', database }: { name: string; password?: string; database: string },
): string {
  const user = `${encodeURIComponent(name)}:${encodeURIComponent(password)}`;
  const { port = DEFAULT_PORT } = dataPlane ?? {};
  const address = port === DEFAULT_PORT ? host : `${host}:${port}`;
  return `postgresql://${user}@${address}/${encodeURIComponent(database)}?sslmode=require`;
}

export function poolerHost({ id, proxy_host }: Endpoint): string {
  return `${id}-pooler.${proxy_host}`;
}
