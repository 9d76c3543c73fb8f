import type * as pulumi from '@pulumi/pulumi';
import type { ComputeEndpointTimeouts } from './compute-endpoint-args';

/** Identifies a role that already exists. */
export interface RoleLocation {
  /** The project of the branch. */
  projectId: pulumi.Input<string>;
  /** The branch, such as `br-cold-lake-12345678`. */
  branchId: pulumi.Input<string>;
  /** The name of the role. */
  name: pulumi.Input<string>;
}

/** The arguments of a role. */
export interface RoleArgs {
  /** The project of the branch. A change replaces the role. */
  projectId: pulumi.Input<string>;
  /** The branch that has the role. A change replaces the role. */
  branchId: pulumi.Input<string>;
  /**
   * The name of the role in Postgres, 1 to 63 bytes, unique among the roles of the branch, and none of the service's own (`pg_*`,
   * `cloud_admin`, `neon_superuser`, `zenith_admin`, `public`, `none`). A change replaces the role.
   */
  name: pulumi.Input<string>;
  /**
   * Any change of this map, such as of a date, gives the role a new password, and drops the connections of an active compute of
   * the branch. A create gives it one anyway; removing the map does nothing.
   */
  passwordTriggers?: pulumi.Input<Record<string, pulumi.Input<string | number | boolean>>>;
  /**
   * Takes over the role of that name if the branch has one, with its password: a branch starts with the roles of its parent. It matters
   * only when the resource is created. A role that was taken over is deleted with its resource, unless that has the resource
   * option `retainOnDelete`. @default false
   */
  adopt?: pulumi.Input<boolean>;
  /** How long each action may take. */
  timeouts?: pulumi.Input<ComputeEndpointTimeouts>;
}
