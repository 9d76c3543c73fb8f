import * as z from 'zod';
import { findShapeFailures, flag, type InputFailure, id, textOfLength } from '../lifecycle/input-values';
import type { Declared, Properties } from '../lifecycle/resource-identity';
import type { Prior, Unsettled } from '../lifecycle/resource-state';

const lsn = 'must be a position in the log of the parent (LSN), such as 0/1E88DF8';
const time = 'must be a point in time with a time zone, such as 2026-01-31T08:00:00Z';

/** What each argument may hold; resources/branch-args.ts says what each means. */
const shape = {
  projectId: id('project'),
  name: textOfLength(256),
  parentId: id('branch'),
  parentLsn: z.string(lsn).regex(/^[0-9a-f]{1,8}\/[0-9a-f]{1,8}$/i, lsn),
  parentTimestamp: z.iso.datetime({ offset: true, error: time }),
  protected: flag,
  adopt: flag,
  allowDataLoss: flag,
};

export type BranchArgument = keyof typeof shape;

/** The arguments of a Branch as Pulumi passes them to a provider. */
export type BranchInputs = { readonly projectId: string } & {
  readonly [Name in BranchArgument]?: z.infer<(typeof shape)[Name]>;
};

/** The outputs in state: each argument as the service reports it, and what is unfinished or failed. */
export type BranchOutputs = BranchInputs &
  Unsettled & { readonly createdAt: string; readonly __schemaVersion: number };

export type BranchDeclaration = Declared<BranchInputs>;
export type PriorBranch = Prior<BranchInputs, BranchOutputs>;

export function findInputFailures(given: Properties): InputFailure[] {
  const required = { projectId: 'names the project of the branch' };
  const failures = findShapeFailures({ of: 'a Branch', shape, required }, given);
  if (failures.length > 0) return failures;
  if (given.parentLsn !== undefined && given.parentTimestamp !== undefined)
    return [{ property: 'parentTimestamp', reason: 'must not be given together with parentLsn' }];
  if (given.adopt === true && given.name === undefined)
    return [{ property: 'name', reason: 'is required with adopt: it names the branch to take over' }];
  return [];
}
