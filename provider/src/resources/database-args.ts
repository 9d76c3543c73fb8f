import type * as pulumi from '@pulumi/pulumi';
import type { ComputeEndpointTimeouts } from './compute-endpoint-args';

/** Identifies a database that already exists. */
export interface DatabaseLocation {
  /** The project of the branch. */
  projectId: pulumi.Input<string>;
  /** The branch, such as `br-cold-lake-12345678`. */
  branchId: pulumi.Input<string>;
  /** The name of the database. */
  name: pulumi.Input<string>;
}

/** The arguments of a database. */
export interface DatabaseArgs {
  /** The project of the branch. A change replaces the database. */
  projectId: pulumi.Input<string>;
  /** The branch that has the database. A change replaces the database. */
  branchId: pulumi.Input<string>;
  /**
   * The name of the database in Postgres, 1 to 63 bytes, unique among the databases of the branch, and none of Postgres' own
   * (`postgres`, `template0`, `template1`). A change is an update in place: it keeps the data, and drops the connections to the database.
   */
  name: pulumi.Input<string>;
  /** The role of the branch that owns the database. A change is an update in place. */
  ownerName: pulumi.Input<string>;
  /**
   * Takes over the database of that name if the branch has one, with its data: a branch starts with the databases of its parent. It
   * matters only when the resource is created. A database that was taken over is deleted with its resource, unless that has the
   * resource option `retainOnDelete`. @default false
   */
  adopt?: pulumi.Input<boolean>;
  /** Allows a change that replaces the database, which deletes its data. A `pulumi destroy` does not need it. @default false */
  allowDataLoss?: pulumi.Input<boolean>;
  /** How long each action may take. */
  timeouts?: pulumi.Input<ComputeEndpointTimeouts>;
}
