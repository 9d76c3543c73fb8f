import * as pulumi from '@pulumi/pulumi';
import type { ControlApi } from '../control-api/control-api';
import { requireFilled } from './named';
import { connectByStack } from './stack-connection';

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
  /** The database to connect to. */
  databaseName: pulumi.Input<string>;
  /** The Postgres role to connect as. */
  roleName: pulumi.Input<string>;
  /** Whether to connect through the connection pooler. @default false */
  pooled?: pulumi.Input<boolean>;
}): pulumi.Output<string> {
  const uri = pulumi
    .output(of)
    .apply(async (query) => (await readConnectionUri(connectByStack(), query)).uri);
  return pulumi.secret(uri);
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
