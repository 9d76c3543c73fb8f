import * as pulumi from '@pulumi/pulumi';
import { dynamicDatabase } from '../dynamic/provider-text';
import type { UnsettledOperation } from '../lifecycle/resource-state';
import { databaseType } from '../named/database-type';
import type { DatabaseArgs, DatabaseLocation } from './database-args';
import { pauseStackTraces, registerDynamic, toNamedId } from './registration';

/**
 * A Postgres database of a branch, with its data. A change that replaces it deletes the data, so it needs `allowDataLoss`.
 *
 * The key and the base URL come from where those of a `ComputeEndpoint` do.
 */
export class Database extends pulumi.CustomResource {
  /** The project of the branch. */
  declare readonly projectId: pulumi.Output<string>;
  /** The branch that has the database. */
  declare readonly branchId: pulumi.Output<string>;
  /** The name of the database. */
  declare readonly name: pulumi.Output<string>;
  /** The role that owns the database. */
  declare readonly ownerName: pulumi.Output<string>;
  /** When the database was created. ISO 8601. */
  declare readonly createdAt: pulumi.Output<string>;
  /** Operations that were unfinished or failed when `pulumi up` last saw them. */
  declare readonly unsettledOperations: pulumi.Output<UnsettledOperation[] | undefined>;

  /**
   * Sets the resource option `deleteBeforeReplace` unless `opts` does: every kind of replacement then deletes first.
   * @throws RunError when the stack's config has the key but not as a secret, or a setting that would be ignored, and for a
   * resource option without effect: `replaceOnChanges`, `customTimeouts`, `import`
   */
  constructor(name: string, args: DatabaseArgs, opts?: pulumi.CustomResourceOptions) {
    const stackTraces = pauseStackTraces();
    try {
      super(...registerDynamic(dynamicDatabase, databaseType.classOutputs, name, args, opts));
    } catch (error) {
      throw stackTraces.retake(error, Database);
    } finally {
      stackTraces.resume();
    }
  }

  /**
   * Looks up a database that exists, without managing it: it is never changed or deleted.
   * @throws Error (rejecting the program) when the branch has no such database
   */
  static get(name: string, at: DatabaseLocation, opts?: pulumi.CustomResourceOptions): Database {
    return new Database(name, at as DatabaseArgs, { ...opts, id: toNamedId(at) }); // A read needs no others.
  }
}
