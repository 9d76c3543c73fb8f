import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';

const config = new pulumi.Config();
const projectId = config.require('projectId');
const branchIds = config.requireObject<string[]>('branchIds');

// Named for the branch, not for its place in the list: the others stay as they are when one is taken off.
const endpoints = branchIds.map(
  (branchId) =>
    new ComputeEndpoint(`preview-${branchId}`, {
      projectId,
      branchId,
      type: 'read_write',
      autoscalingLimitMinCu: 0.25,
      autoscalingLimitMaxCu: 0.25,
      suspendTimeoutSeconds: 60,
    }),
);

export const hosts = endpoints.map(({ branchId, host }) => ({ branchId, host }));
