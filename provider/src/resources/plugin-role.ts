import * as pulumi from '@pulumi/pulumi';
import { dynamicRole } from '../dynamic/provider-text';
import { roleType } from '../named/role-type';
import { registerPlugin } from './plugin-options';
import { pauseStackTraces, toNamedId } from './registration';
import type { Role as DynamicRole } from './role';
import type { RoleArgs, RoleLocation } from './role-args';

/** The SDK's class, with the outputs of the dynamic provider's Role: see plugin-compute-endpoint.ts. */
const Resource = pulumi.CustomResource as unknown as Pick<typeof pulumi.CustomResource, 'isInstance'> &
  (new (
    ...args: ConstructorParameters<typeof pulumi.CustomResource>
  ) => DynamicRole);

/**
 * A Postgres role of a branch, managed by the provider plugin. A stack that moves here from the dynamic provider keeps its roles: the
 * preview shows them unchanged.
 */
export class Role extends Resource {
  /**
   * Sets the resource option `deleteBeforeReplace` unless `opts` does: every kind of replacement then deletes first.
   * @throws RunError when `timeouts` are no plain numbers, when the stack's config has the key but not as a secret, or has a
   * setting that would be ignored
   */
  constructor(name: string, args: RoleArgs, opts?: pulumi.CustomResourceOptions) {
    const stackTraces = pauseStackTraces();
    try {
      super(...registerPlugin(dynamicRole, roleType.classOutputs, name, args, opts));
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
