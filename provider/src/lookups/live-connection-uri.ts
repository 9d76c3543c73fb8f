import type { ConnectionUriQuery, ControlApi } from '../control-api/control-api';
import { parseNamedId } from '../control-api/named-api';
import { requireFilled } from './named';

/** What the plugin's function `getConnectionUri` returns. */
export interface ConnectionUri {
  /** The connection string, such as `postgresql://ROLE:PASSWORD@HOST/DATABASE?sslmode=require`. @secret */
  readonly uri: string;
}

/** @internal */
export async function readConnectionUri(api: ControlApi, of: ConnectionUriQuery): Promise<ConnectionUri> {
  requireFilled('getConnectionUri', of);
  const nameOf = (given: string) => (given.startsWith(`${of.projectId}/`) ? parseNamedId(given).name : given);
  const [databaseName, roleName] = [nameOf(of.databaseName), nameOf(of.roleName)];
  return { uri: await api.getConnectionUri({ ...of, databaseName, roleName }) };
}
