import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';

const config = new pulumi.Config();

const endpoint = new ComputeEndpoint('app', {
  projectId: config.require('projectId'),
  branchId: config.require('branchId'),
  type: 'read_write',
  adopt: true,
  autoscalingLimitMinCu: 0.25,
  autoscalingLimitMaxCu: config.requireNumber('maxCu'),
});

export const host = endpoint.host;
