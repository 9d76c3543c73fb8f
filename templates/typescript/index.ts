import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';

const config = new pulumi.Config();

const endpoint = new ComputeEndpoint('app', {
  projectId: config.require('projectId'),
  branchId: config.require('branchId'),
  type: 'read_write',
  adopt: true, // takes over the branch's endpoint, if it has one
  autoscalingLimitMinCu: 0.25,
  autoscalingLimitMaxCu: 1,
});

export const host = endpoint.host;
