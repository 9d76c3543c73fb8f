import * as pulumi from '@pulumi/pulumi';
import { branchOutputs } from '../branch/branch-type';
import { dynamicBranch } from '../dynamic/provider-text';
import type { Branch as DynamicBranch } from './branch';
import type { BranchArgs, BranchLocation } from './branch-args';
import { registerPlugin } from './plugin-options';
import { pauseStackTraces } from './registration';

/** The SDK's class, with the outputs of the dynamic provider's Branch: see plugin-compute-endpoint.ts. */
const Resource = pulumi.CustomResource as unknown as Pick<typeof pulumi.CustomResource, 'isInstance'> &
  (new (
    ...args: ConstructorParameters<typeof pulumi.CustomResource>
  ) => DynamicBranch);

/**
 * A branch of a project, managed by the provider plugin. A stack that moves here from the dynamic provider keeps its
 * branches: the preview shows them unchanged.
 */
export class Branch extends Resource {
  /**
   * Sets the resource option `deleteBeforeReplace` unless `opts` does: every kind of replacement then deletes first.
   * @param name the resource's name in the program; a part of the branch's name when `args.name` is not given
   * @throws RunError when `timeouts` are no plain numbers, when the stack's config has the key but not as a secret, or has a
   * setting that would be ignored
   */
  constructor(name: string, args: BranchArgs, opts?: pulumi.CustomResourceOptions) {
    const stackTraces = pauseStackTraces();
    try {
      super(...registerPlugin(dynamicBranch, branchOutputs, name, args, opts));
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
