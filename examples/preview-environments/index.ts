import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';

const config = new pulumi.Config();
const projectId = config.require('projectId');
const branchIds = config.requireObject<string[]>('branchIds');

// Named after the branch, not its index, so that removing one branch from the list leaves the others unchanged.
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
