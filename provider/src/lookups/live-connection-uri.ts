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
  const isId = of.roleName.startsWith(`${of.projectId}/`);
  const roleName = isId ? parseNamedId(of.roleName).name : of.roleName;
  return { uri: await api.getConnectionUri({ ...of, roleName }) };
}
