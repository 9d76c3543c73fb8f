import type { ControlApi } from '../control-api/control-api';
import { requireFilled } from './named';

/** Which connection to describe. */
export interface ConnectionUriQuery {
  readonly projectId: string;
  readonly branchId?: string | undefined;
  readonly endpointId?: string | undefined;
  readonly databaseName: string;
  readonly roleName: string;
  readonly pooled?: boolean | undefined;
}

/** What the plugin's function `getConnectionUri` returns. */
export interface ConnectionUri {
  /** The connection string, such as `postgresql://ROLE:PASSWORD@HOST/DATABASE?sslmode=require`. @secret */
  readonly uri: string;
}

export async function readConnectionUri(api: ControlApi, of: ConnectionUriQuery): Promise<ConnectionUri> {
  const { projectId, branchId, endpointId, databaseName, roleName, pooled } = of;
  requireFilled('getConnectionUri', of);
  const uri = await api.getConnectionUri(projectId, {
    branch_id: branchId,
    endpoint_id: endpointId,
    database_name: databaseName,
    role_name: roleName,
    pooled,
  });
  return { uri };
}
