import * as pulumi from '@pulumi/pulumi';
import { branchOutputs } from '../branch/branch-type';
import { dynamicBranch } from '../dynamic/provider-text';
import type { UnsettledOperation } from '../lifecycle/resource-state';
import type { BranchArgs, BranchLocation } from './branch-args';
import { pauseStackTraces, registerDynamic } from './registration';

/**
 * A branch of a project: a copy of another branch's data, as of now or of an earlier point. It has no endpoint of its own: a
 * `ComputeEndpoint` that takes its `branchId` from the branch's `id` is created after it and deleted before it.
 *
 * A change that replaces the branch deletes its data, so it needs `allowDataLoss`. The key and the base URL come from where
 * those of a `ComputeEndpoint` do.
 */
export class Branch extends pulumi.CustomResource {
  /** The project of the branch. */
  declare readonly projectId: pulumi.Output<string>;
  /** The branch's name. */
  declare readonly name: pulumi.Output<string>;
  /** The branch that it was created from; absent for the first branch of a project, and for a schema-only one if the program does not give it. */
  declare readonly parentId: pulumi.Output<string | undefined>;
  /** The position in the parent's log from which it was created (LSN), if the program gives it or the service reports it. */
  declare readonly parentLsn: pulumi.Output<string | undefined>;
  /** The point in time of the parent from which it was created, if the program gives it or the service reports it. ISO 8601. */
  declare readonly parentTimestamp: pulumi.Output<string | undefined>;
  /** What the branch started with: `parent-data` or `schema-only`; the service may add others. */
  declare readonly initSource: pulumi.Output<string>;
  /** Whether the service protects the branch. */
  declare readonly protected: pulumi.Output<boolean>;
  /** When the service deletes the branch; absent if it does not expire. RFC 3339. */
  declare readonly expiresAt: pulumi.Output<string | undefined>;
  /** When the branch was created. ISO 8601. */
  declare readonly createdAt: pulumi.Output<string>;
  /**
   * When the branch was last reset, as `pulumi up` has seen it: what has to run after each reset can depend on it. Absent: never. A
   * refresh keeps it. ISO 8601.
   */
  declare readonly lastResetAt: pulumi.Output<string | undefined>;
  /** Operations that were unfinished or failed when `pulumi up` last saw them. */
  declare readonly unsettledOperations: pulumi.Output<UnsettledOperation[] | undefined>;

  /**
   * Sets the resource option `deleteBeforeReplace` unless `opts` does: every kind of replacement then deletes first.
   * @param name the resource's name in the program; a part of the branch's name when `args.name` is not given
   * @throws RunError when the stack's config has the key but not as a secret, or a setting that would be ignored, and for a
   * resource option without effect: `replaceOnChanges`, `customTimeouts`, `import`
   */
  constructor(name: string, args: BranchArgs, opts?: pulumi.CustomResourceOptions) {
    const stackTraces = pauseStackTraces();
    try {
      super(...registerDynamic(dynamicBranch, branchOutputs, name, args, opts));
    } catch (error) {
      throw stackTraces.retake(error, Branch);
    } finally {
      stackTraces.resume();
    }
  }

  /**
   * Looks up a branch that exists, without managing it: it is never changed or deleted.
   * @throws Error (rejecting the program) when the project has no such branch
   */
  static get(name: string, at: BranchLocation, opts?: pulumi.CustomResourceOptions): Branch {
    return new Branch(name, { projectId: at.projectId }, { ...opts, id: at.branchId });
  }
}
