import * as pulumi from '@pulumi/pulumi';
import { dynamicRole } from '../dynamic/provider-text';
import type { UnsettledOperation } from '../lifecycle/resource-state';
import { roleType } from '../named/role-type';
import { pauseStackTraces, registerDynamic, toNamedId } from './registration';
import type { RoleArgs, RoleLocation } from './role-args';

/**
 * A Postgres role of a branch, with its password. A role that owns a database can't be deleted: the service refuses it.
 *
 * Creating a role, and a new password, drop the connections of an active compute of the branch. The key and the base URL come from
 * where those of a `ComputeEndpoint` do.
 */
export class Role extends pulumi.CustomResource {
  /** The project of the branch. */
  declare readonly projectId: pulumi.Output<string>;
  /** The branch that has the role. */
  declare readonly branchId: pulumi.Output<string>;
  /** The name of the role. */
  declare readonly name: pulumi.Output<string>;
  /**
   * The password, as the last run has set or read it: what others set later is not read. Absent where the project stores no passwords
   * and the role was taken over or imported. @secret
   */
  declare readonly password: pulumi.Output<string | undefined>;
  /** When the role was created. ISO 8601. */
  declare readonly createdAt: pulumi.Output<string>;
  /** Operations that were unfinished or failed when `pulumi up` last saw them. */
  declare readonly unsettledOperations: pulumi.Output<UnsettledOperation[] | undefined>;

  /**
   * Sets the resource option `deleteBeforeReplace` unless `opts` does: every kind of replacement then deletes first.
   * @throws RunError when the stack's config has the key but not as a secret, or a setting that would be ignored, and for a
   * resource option without effect: `replaceOnChanges`, `customTimeouts`, `import`
   */
  constructor(name: string, args: RoleArgs, opts?: pulumi.CustomResourceOptions) {
    const stackTraces = pauseStackTraces();
    try {
      super(...registerDynamic(dynamicRole, roleType.classOutputs, name, args, opts));
    } catch (error) {
      throw stackTraces.retake(error, Role);
    } finally {
      stackTraces.resume();
    }
  }

  /**
   * Looks up a role that exists, without managing it: it is never changed or deleted.
   * @throws Error (rejecting the program) when the branch has no such role
   */
  static get(name: string, at: RoleLocation, opts?: pulumi.CustomResourceOptions): Role {
    return new Role(name, at, { ...opts, id: toNamedId(at) });
  }
}
