import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint, getBranch } from 'pulumi-postgres-compute';

const config = new pulumi.Config();
const projectId = config.require('projectId');
// Without a name: the default branch.
const branch = getBranch({ projectId, name: config.get('branch') || undefined });

const endpoint = new ComputeEndpoint(
  'app',
  {
    projectId,
    branchId: branch.then(({ id }) => id),
    type: 'read_write',
    adopt: true,
    allowRestart: config.requireBoolean('allowRestart'),
    // If these are not set, the endpoint keeps its size.
    autoscalingLimitMinCu: config.getNumber('minCu'),
    autoscalingLimitMaxCu: config.getNumber('maxCu'),
    suspendTimeoutSeconds: 600,
  },
  // This program did not create the endpoint, so `pulumi destroy` keeps it.
  { retainOnDelete: true },
);

export const endpointId = endpoint.id;
export const host = endpoint.host;
