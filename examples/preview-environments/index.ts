import * as pulumi from '@pulumi/pulumi';
import { Branch, ComputeEndpoint, getConnectionUri } from 'pulumi-postgres-compute';

const config = new pulumi.Config();
const projectId = config.require('projectId');

// One stack for each pull request: a copy of the default branch's data, and a small compute that is soon suspended.
const branch = new Branch('preview', {
  projectId,
  name: `preview/${pulumi.getStack()}`,
  // Each push sets a later time: an environment that nobody removes disappears by itself.
  expiresAt: config.get('expiresAt'),
});
const endpoint = new ComputeEndpoint('preview', {
  projectId,
  branchId: branch.id,
  type: 'read_write',
  autoscalingLimitMinCu: 0.25,
  autoscalingLimitMaxCu: 0.25,
  suspendTimeoutSeconds: 60,
});

// The database and the role of the default branch, which the new branch has too.
const database = { databaseName: 'app', roleName: 'app_owner' };
const uri = { projectId, endpointId: endpoint.id, ...database };
/** For migrations: a session of its own. */
export const databaseUrl = getConnectionUri(uri);
/** For the app: through the pooler, which takes more clients. */
export const pooledDatabaseUrl = getConnectionUri({ ...uri, pooled: true });
export const host = endpoint.host;
