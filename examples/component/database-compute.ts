import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';

export interface DatabaseComputeArgs {
  projectId: pulumi.Input<string>;
  branchId: pulumi.Input<string>;
  /** How many read replicas the branch has besides the primary endpoint. */
  replicas: number;
}

/** The compute of one branch: a primary endpoint for writes, and replicas for reads. */
export class DatabaseCompute extends pulumi.ComponentResource {
  readonly writeHost: pulumi.Output<string>;
  readonly readHosts: pulumi.Output<string>[];

  constructor(name: string, args: DatabaseComputeArgs, opts?: pulumi.ComponentResourceOptions) {
    super('example:index:DatabaseCompute', name, {}, opts);
    const { projectId, branchId, replicas } = args;
    const size = { autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 2 };

    const primary = new ComputeEndpoint(
      `${name}-primary`,
      { projectId, branchId, type: 'read_write', adopt: true, ...size },
      { parent: this },
    );
    this.writeHost = primary.host;

    this.readHosts = Array.from({ length: replicas }, (_, index) => {
      const replica = new ComputeEndpoint(
        `${name}-replica-${index + 1}`,
        { projectId, branchId, type: 'read_only', ...size },
        { parent: this },
      );
      return replica.host;
    });

    this.registerOutputs({ writeHost: this.writeHost, readHosts: this.readHosts });
  }
}
