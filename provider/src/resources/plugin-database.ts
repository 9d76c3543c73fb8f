import * as pulumi from '@pulumi/pulumi';
import { dynamicDatabase } from '../dynamic/provider-text';
import { databaseType } from '../named/database-type';
import type { Database as DynamicDatabase } from './database';
import type { DatabaseArgs, DatabaseLocation } from './database-args';
import { registerPlugin } from './plugin-options';
import { pauseStackTraces, toNamedId } from './registration';

/** The SDK's class, with the outputs of the dynamic provider's Database: see plugin-compute-endpoint.ts. */
const Resource = pulumi.CustomResource as unknown as Pick<typeof pulumi.CustomResource, 'isInstance'> &
  (new (
    ...args: ConstructorParameters<typeof pulumi.CustomResource>
  ) => DynamicDatabase);

/**
 * A Postgres database of a branch, managed by the provider plugin. A stack that moves here from the dynamic provider keeps its
 * databases: the preview shows them unchanged.
 */
export class Database extends Resource {
  /**
   * Sets the resource option `deleteBeforeReplace` unless `opts` does: every kind of replacement then deletes first.
   * @throws RunError when `timeouts` are no plain numbers, when the stack's config has the key but not as a secret, or has a
   * setting that would be ignored
   */
  constructor(name: string, args: DatabaseArgs, opts?: pulumi.CustomResourceOptions) {
    const stackTraces = pauseStackTraces();
    try {
      super(...registerPlugin(dynamicDatabase, databaseType.classOutputs, name, args, opts));
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
