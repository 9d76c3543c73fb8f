import type { EndpointRecord } from '../records/endpoint-record';
import type { OperationRecord } from '../records/operation-record';
import type { ProjectRecord } from '../records/project-record';
import type { Endpoint, Operation } from '../records/wire-types';
import type { EndpointResult } from './endpoints';

/** Responses are copies: an operation that ends before its response is sent must not change the response. */
export function showOperations(operations: readonly OperationRecord[]): Operation[] {
  return operations.map(({ wire }) => ({ ...wire }));
}

export function showEndpoint(endpoint: EndpointRecord): Endpoint {
  return structuredClone(endpoint.wire);
}

export function showEndpointResult({ endpoint, operations }: EndpointResult): {
  endpoint: Endpoint;
  operations: Operation[];
} {
  return { endpoint: showEndpoint(endpoint), operations: showOperations(operations) };
}

/** The roles, databases and connection URIs of a new branch, with one URI for each read_write endpoint. */
export function showDatabaseAccess(
  { database, wire }: ProjectRecord,
  branchId: string,
  endpoints: readonly EndpointRecord[],
): object {
  const { databaseId, databaseName, roleName, password } = database;
  const times = { created_at: wire.created_at, updated_at: wire.created_at };
  const writable = endpoints.filter((endpoint) => endpoint.wire.type === 'read_write');
  return {
    roles: [{ branch_id: branchId, name: roleName, password, protected: false, ...times }],
    databases: [{ id: databaseId, branch_id: branchId, name: databaseName, owner_name: roleName, ...times }],
    connection_uris: writable.map((endpoint) => ({
      connection_uri: `postgresql://${roleName}:${password}@${endpoint.wire.host}/${databaseName}?sslmode=require`,
      connection_parameters: {
        database: databaseName,
        password,
        role: roleName,
        host: endpoint.wire.host,
        pooler_host: `${endpoint.wire.id}-pooler.${endpoint.wire.proxy_host}`,
      },
    })),
  };
}
