import type { ConnectionUriQuery, ControlApi } from '../control-api/control-api';
import { parseNamedId } from '../control-api/named-api';
import { requireFilled } from './find-by-name';

/** What the plugin's function `getConnectionUri` returns. */
export interface ConnectionUri {
  /** The connection string, such as `postgresql://ROLE:PASSWORD@HOST/DATABASE?sslmode=require`. @secret */
  readonly uri: string;
}

/** @internal */
export async function readConnectionUri(api: ControlApi, of: ConnectionUriQuery): Promise<ConnectionUri> {
  requireFilled('getConnectionUri', of, ['projectId', 'databaseName', 'roleName']);
  if (!of.roleName.startsWith(`${of.projectId}/`)) return { uri: await api.getConnectionUri(of) };
  const { branchId, name } = parseNamedId(of.roleName);
  if (of.branchId !== undefined && of.branchId !== branchId)
    throw new Error(`getConnectionUri: roleName is of branch ${branchId}, and branchId is ${of.branchId}.`);
  return { uri: await api.getConnectionUri({ ...of, branchId, roleName: name }) };
}
