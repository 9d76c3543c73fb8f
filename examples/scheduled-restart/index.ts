import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';

const config = new pulumi.Config();

const endpoint = new ComputeEndpoint('app', {
  projectId: config.require('projectId'),
  branchId: config.require('branchId'),
  type: 'read_write',
  adopt: true,
  autoscalingLimitMinCu: 0.25,
  autoscalingLimitMaxCu: 1,
  // A new week restarts the compute once; the same week as in the last run does nothing.
  restartTriggers: { week: config.require('week') },
});

export const host = endpoint.host;
