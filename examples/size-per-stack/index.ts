import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';

const config = new pulumi.Config();

// Every value that differs between stacks is in Pulumi.STACK.yaml. A stack without one of them is refused.
const endpoint = new ComputeEndpoint('app', {
  projectId: config.require('projectId'),
  branchId: config.require('branchId'),
  type: 'read_write',
  adopt: true,
  autoscalingLimitMinCu: config.requireNumber('minCu'),
  autoscalingLimitMaxCu: config.requireNumber('maxCu'),
  suspendTimeoutSeconds: config.requireNumber('suspendTimeoutSeconds'),
});

export const host = endpoint.host;
export const maxConnections = endpoint.maxConnections;
