import type * as pulumi from '@pulumi/pulumi';
import type { ComputeEndpointTimeouts } from './compute-endpoint-args';

/** `parent-data` copies schema and data; `schema-only` creates a root branch with the schema alone. */
export type BranchInitSource = 'parent-data' | 'schema-only';

/** Where a reset takes the data from: of `timestamp` and `lsn` at most one. */
export interface BranchRestoreSource {
  /** The branch. @default `parentId`, or the parent that the service shows */
  branchId?: pulumi.Input<string>;
  /** A point in time, with a time zone, such as `2026-01-31T08:00:00Z`. @default now */
  timestamp?: pulumi.Input<string>;
  /** A position in the log of the branch (LSN), such as `0/1E88DF8`. @default the latest */
  lsn?: pulumi.Input<string>;
}

/** Identifies a branch that already exists. */
export interface BranchLocation {
  /** The project that the branch belongs to. */
  projectId: pulumi.Input<string>;
  /** The id that the service gave the branch, such as `br-cold-lake-12345678`. */
  branchId: pulumi.Input<pulumi.ID>;
}

/** The arguments of a branch. */
export interface BranchArgs {
  /** The project of the branch. A change replaces the branch: its data is deleted. */
  projectId: pulumi.Input<string>;
  /**
   * The branch's name, 1 to 256 characters, unique among the branches of the project. A change updates in place.
   * A new branch is created under a name that ends in `-creating`, by which a repeated create finds it, and renamed as the
   * last step.
   * @default derived from the Pulumi organization, project, stack and resource name, with a short hash
   */
  name?: pulumi.Input<string>;
  /**
   * The branch whose data this one starts with. A change replaces the branch: its data is deleted.
   * @default the project's default branch; if removed, the branch keeps its parent
   */
  parentId?: pulumi.Input<string>;
  /**
   * The position in the parent's log (LSN) whose data the branch starts with, such as `0/1E88DF8`. Not together with
   * `parentTimestamp`. A change replaces the branch: its data is deleted.
   * @default the parent's latest; if removed, the branch keeps its data
   */
  parentLsn?: pulumi.Input<string>;
  /**
   * The point in time of the parent whose data the branch starts with, with a time zone, such as `2026-01-31T08:00:00Z`.
   * Not together with `parentLsn`. A change replaces the branch: its data is deleted.
   * @default now; if removed, the branch keeps its data
   */
  parentTimestamp?: pulumi.Input<string>;
  /**
   * What the branch starts with: `parent-data`, or `schema-only` for the tables without their rows. A schema-only branch has no
   * parent at the service; `parentId` names the branch whose schema it gets. A change replaces the branch: its data is deleted.
   * @default `parent-data`; if removed, the branch keeps what it has
   */
  initSource?: pulumi.Input<BranchInitSource>;
  /**
   * Whether the service protects the branch, as far as the plan allows: it then refuses to delete or reset the branch, or to delete its
   * endpoints. A new branch is protected once it has its data. A change updates in place.
   * @default false
   */
  protected?: pulumi.Input<boolean>;
  /**
   * When the service deletes the branch, with its data and its endpoints: a time within the next 30 days, in whole seconds with a
   * time zone, such as `2026-01-31T08:00:00Z`. Not with `protected: true`, for a branch that others were created from, or
   * for the default branch. A change updates in place. After that time, set a later one: `pulumi up --refresh` then creates the branch
   * again. @default never; if removed, the branch no longer expires
   */
  expiresAt?: pulumi.Input<string>;
  /**
   * Any change of this map, such as of a `commit`, resets the branch once: it gets the present data of its parent, or what `restoreFrom`
   * says, and keeps its id, endpoints and hosts. Connections drop, and the data of its own is deleted, which takes `allowDataLoss`
   * or `preserveUnderName`. A create and removing the map reset nothing; adding it to an existing branch does.
   */
  resetTriggers?: pulumi.Input<Record<string, pulumi.Input<string | number | boolean>>>;
  /** Where the next reset takes the data from. A change alone does nothing. @default the present data of the parent */
  restoreFrom?: pulumi.Input<BranchRestoreSource>;
  /**
   * The name of a new branch, 1 to 256 characters, in which the next reset leaves the previous data; it also gets the children. No
   * state holds that branch, so each reset needs a new name. A change alone does nothing. @default none: a reset deletes the data
   */
  preserveUnderName?: pulumi.Input<string>;
  /**
   * Takes over the branch of the given `name` if it exists, and updates it to what is declared. It matters only when the
   * resource is created. A branch that was taken over is deleted with its resource, unless that has the resource option
   * `retainOnDelete`. @default false
   */
  adopt?: pulumi.Input<boolean>;
  /**
   * Whether a change may delete the data of the branch: by replacing it, with its endpoints, or by a reset. If not true, such a change
   * fails the preview and the update before anything is changed. Removing the resource from the program, and `pulumi destroy`, delete
   * the branch in any case: the resource option `protect` prevents that, unless the command has `--ignore-protect`. @default false
   */
  allowDataLoss?: pulumi.Input<boolean>;
  /** How long each action may take. */
  timeouts?: pulumi.Input<ComputeEndpointTimeouts>;
}
