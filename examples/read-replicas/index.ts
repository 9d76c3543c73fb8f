import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';

const config = new pulumi.Config();
const projectId = config.require('projectId');
const branchId = config.require('branchId');

const primary = new ComputeEndpoint('primary', {
  projectId,
  branchId,
  type: 'read_write',
  adopt: true,
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 4,
});

const replicas = Array.from(
  { length: config.requireNumber('replicas') },
  (_, index) =>
    new ComputeEndpoint(`replica-${index + 1}`, {
      projectId,
      branchId,
      type: 'read_only',
      autoscalingLimitMinCu: 0.25,
      autoscalingLimitMaxCu: 2,
    }),
);

export const writeHost = primary.host;
export const readHosts = replicas.map(({ host }) => host);
