import { localAddressOf } from '../options/emulator-options';
import { ApiError, badRequest, found } from '../records/api-error';
import { type EndpointRecord, type ProjectRecord, readWriteEndpointOf } from '../records/records';
import type { Endpoint } from '../records/wire-types';
import type { ConnectionQuery } from '../requests/query-parameters';
import type { ControlPlane } from './control-plane';
import { findDatabase, findRole, revealPassword } from './roles-and-databases';

const DEFAULT_PORT = 5432;

interface Login {
  readonly name: string;
  readonly password?: string;
  readonly database: string;
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
  const password = revealPassword(branch, name);
  const host = query.pooled ? poolerHost(endpoint) : endpoint.host;
  return connectionUri(plane, host, { name, password, database });
}

type Addresses = Pick<ControlPlane, 'dataPlane' | 'settings'>;

/** For clients on this machine, whatever the host in the URIs of the API is. */
export function localConnectionUri(
  plane: ControlPlane,
  { project, wire: { id, branch_id } }: EndpointRecord,
): string {
  if (plane.dataPlane === undefined) throw new Error('the emulator runs without the option postgres');
  const branch = plane.store.branch(project, branch_id);
  const database = found(branch.databases[0], `branch ${branch_id}: its first`, 'database');
  const login = { ...findRole(branch, database.owner_name), database: database.name };
  return connectionUri(plane, id, login, localAddressOf(plane.settings.host));
}

/** What to replace is in capitals. */
export function connectionUriForm(plane: Addresses): string {
  const { host, postgresHost = localAddressOf(host) } = plane.settings;
  const login = { name: 'ROLE', password: 'PASSWORD', database: 'DATABASE' };
  return connectionUri(plane, 'ENDPOINT_ID', login, postgresHost);
}

/**
 * Without real servers, the host name leads nowhere, and needs no port. With a host for any client, an option names the
 * endpoint, as its own host name may not resolve on this machine.
 */
export function connectionUri(
  { dataPlane, settings }: Addresses,
  endpointHost: string,
  { name, password = '', database }: Login,
  host = settings.postgresHost,
): string {
  const { port = DEFAULT_PORT } = dataPlane ?? {};
  const [endpoint] = endpointHost.split('.');
  const query = host === undefined ? 'sslmode=require' : `sslmode=disable&options=endpoint%3D${endpoint}`;
  const user = `${encodeURIComponent(name)}:${encodeURIComponent(password)}`;
  const isShort = host === undefined && port === DEFAULT_PORT;
  const address = isShort ? endpointHost : `${host ?? endpointHost}:${port}`;
  return `postgresql://${user}@${address}/${encodeURIComponent(database)}?${query}`;
}

export function poolerHost({ id, proxy_host }: Endpoint): string {
  return `${id}-pooler.${proxy_host}`;
}
