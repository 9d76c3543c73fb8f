import * as pulumi from '@pulumi/pulumi';
import { DatabaseCompute } from './database-compute';

const config = new pulumi.Config();

const orders = new DatabaseCompute('orders', {
  projectId: config.require('projectId'),
  branchId: config.require('branchId'),
  replicas: config.requireNumber('replicas'),
});

export const writeHost = orders.writeHost;
export const readHosts = orders.readHosts;
