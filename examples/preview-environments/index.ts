import * as pulumi from '@pulumi/pulumi';
import { Branch, ComputeEndpoint, getConnectionUri, Role } from 'pulumi-postgres-compute';

const config = new pulumi.Config();
const projectId = config.require('projectId');

// One stack for each pull request: a copy of the default branch's data, and a small compute that is soon suspended.
const branch = new Branch('preview', {
  projectId,
  name: `preview/${pulumi.getStack()}`,
  // Each push sets a later time, so a forgotten environment disappears by itself.
  expiresAt: config.get('expiresAt'),
});
const place = { projectId, branchId: branch.id };
const endpoint = new ComputeEndpoint('preview', {
  ...place,
  type: 'read_write',
  autoscalingLimitMinCu: 0.25,
  autoscalingLimitMaxCu: 0.25,
  suspendTimeoutSeconds: 60,
});

// A role with a password that no other environment has. It goes with the branch. `adopt` finds it after a killed run.
const role = new Role('preview', { ...place, name: 'preview', adopt: true }, { deletedWith: branch });

const database = { projectId, endpointId: endpoint.id, databaseName: 'app' };
/** For migrations: a session of its own, as the owner of the parent's tables, which no other role can alter. */
export const databaseUrl = getConnectionUri({ ...database, roleName: 'app_owner' });
/** For the app: through the pooler, which takes more clients. */
export const pooledDatabaseUrl = getConnectionUri({ ...database, roleName: role.id, pooled: true });
export const host = endpoint.host;
