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
