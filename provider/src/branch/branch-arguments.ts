import * as z from 'zod';
import type { Branch, BranchAttributes } from '../control-api/wire-types';
import {
  findShapeFailures,
  flag,
  type InputFailure,
  id,
  isSame,
  isUnknown,
  textOfLength,
} from '../resource/input-values';
import type { Declared, Properties } from '../resource/resource-identity';
import type { Prior, Unsettled } from '../resource/resource-state';

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

export const branchArguments = Object.keys(shape) as BranchArgument[]; // Object.keys forgets the names of its argument.

/** Where the data of the branch comes from: a change of any of these replaces the branch. */
export const replacingArguments = ['projectId', 'parentId', 'parentLsn', 'parentTimestamp'] as const;

/** Known at creation only, and reported in another form than it was asked for: its drift is not worth any data. */
const pointArguments: readonly BranchArgument[] = ['parentLsn', 'parentTimestamp'];

/** Of which the service knows nothing. */
export const settingArguments: readonly BranchArgument[] = ['adopt', 'allowDataLoss'];

export type UpdatedArgument = 'name' | 'protected';
const updatedArguments: readonly UpdatedArgument[] = ['name', 'protected'];

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

/** The arguments in which the program differs from the state, unknown values included. */
export function findChanges({ inputs, outputs }: Prior<BranchInputs, BranchOutputs>, desired: BranchInputs) {
  return branchArguments.filter((name) => {
    const value = desired[name];
    if (settingArguments.includes(name)) return !isSame(value, inputs[name]);
    // A branch keeps what the program no longer gives, except its protection.
    if (value === undefined)
      return name === 'protected' && inputs[name] !== undefined && outputs[name] === true;
    if (isUnknown(value)) return true;
    const isPoint = pointArguments.includes(name);
    return isPoint ? !isSamePoint(value, inputs[name] ?? outputs[name]) : !isSame(value, outputs[name]);
  });
}

export function isReplacing(name: string): boolean {
  return (replacingArguments as readonly string[]).includes(name);
}

/** Those that an update sends. */
export function findUpdates(names: readonly string[]): UpdatedArgument[] {
  return updatedArguments.filter((name) => names.includes(name));
}

/** The arguments for which the service reports another value than the program gives. */
export function findDrift(
  branch: Branch,
  wanted: Pick<BranchAttributes, UpdatedArgument>,
): UpdatedArgument[] {
  return updatedArguments.filter((name) => wanted[name] !== undefined && wanted[name] !== branch[name]);
}

/** The arguments that fix the origin of the branch, and that an existing branch does not have. */
export function findOtherOrigin(branch: Branch, inputs: BranchInputs): BranchArgument[] {
  const reported = readArguments(branch);
  return replacingArguments.filter((name) => {
    const value = inputs[name];
    if (value === undefined || isUnknown(value)) return false;
    return !(pointArguments.includes(name) ? isSamePoint : isSame)(value, reported[name]);
  });
}

/** What the service reports. */
export function readArguments(branch: Branch): BranchInputs {
  const values = {
    projectId: branch.project_id,
    name: branch.name,
    parentId: branch.parent_id,
    parentLsn: branch.parent_lsn,
    parentTimestamp: branch.parent_timestamp,
    protected: branch.protected,
  };
  return dropUndefined(values);
}

export function toCreateAttributes(inputs: BranchInputs, name: string | undefined): BranchAttributes {
  return dropUndefined({
    name,
    parent_id: inputs.parentId,
    parent_lsn: inputs.parentLsn,
    parent_timestamp: inputs.parentTimestamp,
    protected: inputs.protected,
  });
}

export function toUpdateAttributes(
  names: readonly UpdatedArgument[],
  inputs: BranchInputs,
): BranchAttributes {
  return {
    ...(names.includes('name') && { name: inputs.name }),
    ...(names.includes('protected') && { protected: inputs.protected ?? false }),
  };
}

/** Without undefined values, which the engine refuses. */
export function dropUndefined<Values extends object>(values: Values) {
  type Present = { [Name in keyof Values]: Exclude<Values[Name], undefined> };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present;
}

/** The same LSN or the same moment may be written in several ways. */
function isSamePoint(left: unknown, right: unknown): boolean {
  if (isSame(left, right)) return true;
  if (typeof left !== 'string' || typeof right !== 'string') return false;
  if (left.includes('/')) return trimLsn(left) === trimLsn(right);
  return /^\d{4}-/.test(left) && Date.parse(left) === Date.parse(right);
}

/** Without the zeros before its two numbers. */
function trimLsn(lsn: string): string {
  return lsn.toUpperCase().replace(/(^|\/)0+/g, '$1');
}
