import type { BranchRecord, EndpointRecord, OperationRecord } from '../records/records';
import type { Endpoint, Operation, Role } from '../records/wire-types';
import { connectionUri, poolerHost } from './connection-uris';
import type { ControlPlane } from './control-plane';
import type { EndpointResult } from './endpoints';
import { findRole } from './roles-and-databases';

/** Responses are copies: an operation that ends before its response is sent must not change the response. */
export function showOperations(operations: readonly OperationRecord[]): Operation[] {
  return operations.map(({ wire }) => ({ ...wire }));
}

/** `structuredClone` of the whole takes 50 times as long, which shows in a list of a thousand. */
export function showEndpoint({ wire }: EndpointRecord): Endpoint {
  const { pg_settings, ...rest } = wire.settings;
  const others = Object.keys(rest).length === 0 ? rest : structuredClone(rest);
  return { ...wire, settings: { pg_settings: { ...pg_settings }, ...others } };
}

export function showEndpointResult({ endpoint, operations }: EndpointResult) {
  return { endpoint: showEndpoint(endpoint), operations: showOperations(operations) };
}

export function showRole({ password: _, ...role }: Role): Role {
  return role;
}

/** What the response to a new branch shows beside the branch, with one URI per database of each read_write endpoint. */
export function showNewBranch(
  plane: Pick<ControlPlane, 'dataPlane' | 'settings'>,
  { wire, roles, databases }: BranchRecord,
  endpoints: readonly EndpointRecord[],
  operations: readonly OperationRecord[],
): object {
  const writable = endpoints.filter((endpoint) => endpoint.wire.type === 'read_write');
  return {
    branch: { ...wire },
    endpoints: endpoints.map(showEndpoint),
    operations: showOperations(operations),
    roles: structuredClone(roles),
    databases: structuredClone(databases),
    connection_uris: writable.flatMap(({ wire: endpoint }) =>
      databases.map((database) => {
        const role = findRole({ wire, roles }, database.owner_name);
        return {
          connection_uri: connectionUri(plane, endpoint.host, { ...role, database: database.name }),
          connection_parameters: {
            database: database.name,
            password: role.password ?? '',
            role: role.name,
            host: endpoint.host,
            pooler_host: poolerHost(endpoint),
          },
        };
      }),
    ),
  };
}
