import * as pulumi from '@pulumi/pulumi';
import { hideStack } from './stack-connection';

/** What a `Role` and a `Database` of either adapter have. */
export interface NamedResource {
  /** Known once the resource is there. */
  readonly id: pulumi.Output<string>;
  /** The branch. */
  readonly branchId: pulumi.Output<string>;
  /** Its name in Postgres. */
  readonly name: pulumi.Output<string>;
  /** Another one after a reset of the branch that has replaced it. */
  readonly createdAt: pulumi.Output<string>;
}

/**
 * What to connect by resources, which must be on one branch: the string is read once all of them are as declared. In a preview that
 * creates or resets one of them, or gives the role a new password, it is not known.
 */
export interface ConnectionResources {
  /** The `Role` to connect as. */
  readonly role: NamedResource & { readonly password: pulumi.Output<string | undefined> };
  /** The `Database` to connect to. */
  readonly database: NamedResource;
  /** The `ComputeEndpoint` to connect to. */
  readonly endpoint: Pick<NamedResource, 'id' | 'branchId'> & { readonly projectId: pulumi.Output<string> };
  /** Whether to connect through the connection pooler. @default false */
  readonly pooled?: pulumi.Input<boolean>;
}

/** The names are known in a preview already, so they also wait for outputs that are not. */
export function toNames({ role, database, endpoint, pooled }: ConnectionResources) {
  const names = {
    projectId: endpoint.projectId,
    endpointId: endpoint.id,
    databaseName: database.name,
    roleName: role.name,
    ...(pooled !== undefined && { pooled }),
  };
  const made = pulumi.all([role.id, role.createdAt, role.password, database.id, database.createdAt]);
  const branches = pulumi.all([role.branchId, database.branchId, endpoint.branchId]);
  return pulumi.all([names, branches, made]).apply(([known, ids]) => {
    requireOneBranch(ids);
    return known;
  });
}

/** @throws RunError when they are on different branches, of which each may have a role and a database of these names */
export function requireOneBranch([role, database, endpoint]: readonly string[]): void {
  if (role === database && database === endpoint) return;
  const where = `the role is on branch ${role}, the database on ${database}, the endpoint on ${endpoint}`;
  throw hideStack(new pulumi.RunError(`getConnectionUri: ${where}: give three of one branch.`));
}
