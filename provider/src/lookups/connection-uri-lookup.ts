import * as pulumi from '@pulumi/pulumi';
import { readConnectionUri } from './live-connection-uri';
import { connectByStack } from './stack-connection';

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
