import * as pulumi from '@pulumi/pulumi';
import { DatabaseCompute } from './database-compute';

const config = new pulumi.Config();

const db = new DatabaseCompute('db', {
  projectId: config.require('projectId'),
  branchId: config.require('branchId'),
  replicas: config.requireNumber('replicas'),
});

export const writeHost = db.writeHost;
export const readHosts = db.readHosts;
