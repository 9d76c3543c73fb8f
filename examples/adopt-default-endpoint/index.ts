import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';

const config = new pulumi.Config();

const endpoint = new ComputeEndpoint(
  'app',
  {
    projectId: config.require('projectId'),
    branchId: config.require('branchId'),
    type: 'read_write',
    adopt: true,
    allowRestart: config.requireBoolean('allowRestart'),
    // Without these two the endpoint keeps the size that it has.
    autoscalingLimitMinCu: config.getNumber('minCu'),
    autoscalingLimitMaxCu: config.getNumber('maxCu'),
    suspendTimeoutSeconds: 600,
  },
  // What this program did not make, it does not delete: `pulumi destroy` leaves the endpoint to the branch.
  { retainOnDelete: true },
);

export const endpointId = endpoint.id;
export const host = endpoint.host;
